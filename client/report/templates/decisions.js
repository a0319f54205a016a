"use strict";

/**
 * The decisions of a document, computed from the gold merges and those of a strategy, and the filter that chooses among
 * them. Types are those of document_text.js.
 *
 * @typedef {{chain: number, human: number[], made: number[], error: string, shared: number, distance: number | null}}
 *   Decision of a chain after the first part; antecedents are part chains, none for a new chain
 * @typedef {{id: string, genre: string | null, tokens: number, parts: number, chains: number,
 *   groups: Record<string, string>, wrong: (number | null)[]}} DocumentFacts
 * @typedef {{strategies: string[], best: number, groups: Record<string, string[]>, classes: string[],
 *   distances: [name: string, last: number | null][], documents: DocumentFacts[]}} Index
 * @typedef {{errors: Set<string>, text: string, wordClass: number, distance: number, other: string}} Filter numbers are
 *   -1 and texts empty where everything is let through
 */

const RIGHT = "right";
/** The name of the gold merges, beside the names of strategies. */
const GOLD = "gold";

/**
 * The antecedent of each part chain: the part chains of earlier parts in its merged chain, in order.
 *
 * @param {number[]} merged the merged chain of each part chain
 * @param {Chain[]} chains
 * @returns {number[][]} by part chain
 */
function antecedentsOf(merged, chains) {
  /** @type {Map<number, number[]>} */
  const members = new Map();
  return merged.map((number, chain) => {
    const all = members.get(number) ?? [];
    members.set(number, all);
    const earlier = all.filter((other) => chains[other].part < chains[chain].part);
    all.push(chain);
    return earlier;
  });
}

/** @param {number[]} human @param {number[]} made */
function errorOf(human, made) {
  const same = human.length === made.length && human.every((chain, at) => chain === made[at]);
  if (same) return RIGHT;
  if (!human.length) return "spurious_link";
  return made.length ? "wrong_antecedent" : "missed_link";
}

/** The decisions that a merge holds, in text order. */
function judge(/** @type {DocumentData} */ { chains, human }, /** @type {number[]} */ merged) {
  const [theirs, mine] = [human, merged].map((each) => antecedentsOf(each, chains));
  /** @type {Decision[]} */
  const decisions = [];
  chains.forEach(({ part, start }, chain) => {
    if (!part) return;
    const [wanted, made] = [theirs[chain], mine[chain]];
    const asked = wanted.length ? wanted : made;
    const end = Math.max(...asked.map((other) => chains[other].end));
    const shared = wanted.filter((other) => made.includes(other)).length;
    const distance = asked.length ? start - end : null;
    decisions.push({ chain, human: wanted, made, error: errorOf(wanted, made), shared, distance });
  });
  return decisions;
}

/** The decisions of every strategy on every document, each worked out when it is asked for first. */
class Decisions {
  /** @type {DocumentData[]} */
  #parsed = [];
  /** @type {Map<string, Decision[]>} */
  #judged = new Map();
  /** @type {Map<string, string>} */
  #texts = new Map();

  /** @param {Index} index */
  constructor(index) {
    this.index = index;
  }

  /** @param {number} document @returns {DocumentData} */
  data(document) {
    return (this.#parsed[document] ??= readJson(`document-${document}`));
  }

  /** @param {number} document @param {number} strategy -1: the gold merges, which are always right */
  merged(document, strategy) {
    const data = this.data(document);
    return strategy < 0 ? data.human : data.strategies[strategy].merged;
  }

  /** All decisions, none where the strategy failed. @param {number} document @param {number} strategy */
  all(document, strategy) {
    const key = `${document} ${strategy}`;
    const merged = this.merged(document, strategy);
    const found = this.#judged.get(key) ?? (merged ? judge(this.data(document), merged) : []);
    this.#judged.set(key, found);
    return found;
  }

  /** @param {number} document @param {number} strategy @param {number} other @param {Filter} filter */
  filtered(document, strategy, other, filter) {
    const others = filter.other ? this.all(document, other) : [];
    return this.all(document, strategy).filter(
      (each, at) =>
        filter.errors.has(each.error) &&
        this.#fits(document, strategy, each, filter) &&
        (!filter.other || isAsWanted(filter.other, each, others[at])),
    );
  }

  /** How many there are of each error, whatever errors the filter wants. @returns {Map<string, number>} */
  countByError(/** @type {number} */ document, /** @type {number} */ strategy, other, /** @type {Filter} */ filter) {
    const counts = new Map();
    const errors = new Set([RIGHT, "spurious_link", "missed_link", "wrong_antecedent"]);
    for (const { error } of this.filtered(document, strategy, other, { ...filter, errors })) {
      counts.set(error, (counts.get(error) ?? 0) + 1);
    }
    return counts;
  }

  #fits(/** @type {number} */ document, /** @type {number} */ strategy, /** @type {Decision} */ decision, filter) {
    const { wordClass, distance, text } = filter;
    if (wordClass >= 0 && this.data(document).chains[decision.chain].class !== wordClass) return false;
    if (distance >= 0 && this.#binOf(decision) !== distance) return false;
    return !text || this.textOf(document, strategy, decision.chain).includes(text);
  }

  #binOf(/** @type {Decision} */ { distance }) {
    if (distance === null) return -1;
    return this.index.distances.findIndex(([, last]) => last === null || distance <= last);
  }

  /** What a text is looked for in: the mentions of the chain, and what the strategy went by. */
  textOf(/** @type {number} */ document, /** @type {number} */ strategy, /** @type {number} */ chain) {
    const key = `${document} ${strategy} ${chain}`;
    const data = this.data(document);
    const evidence = data.strategies[strategy].evidence?.[chain]?.text ?? "";
    const known = this.#texts.get(key) ?? [...mentionTexts(data, chain), evidence].join("\n").toLowerCase();
    this.#texts.set(key, known);
    return known;
  }
}

/** Whether the other strategy decided the same chain as the filter has it. */
function isAsWanted(/** @type {string} */ wanted, /** @type {Decision} */ mine, /** @type {Decision} */ other) {
  if (!other) return false;
  if (wanted === "different") return errorOf(mine.made, other.made) !== RIGHT;
  return (other.error === RIGHT) === (wanted === RIGHT);
}
