"use strict";

/**
 * The list of decisions, or of merged chains, beside the text. Types are those of decisions.js.
 *
 * @typedef {{name: string, antecedent: number[], evidence: Evidence | undefined, error: string}} Side the decision
 *   of one strategy, or the gold one
 */

/** @param {string} error */
function flagOf(error) {
  const { name = error, sign = "!" } = /** @type {HTMLElement | null} */ (
    byId("browser-controls").querySelector(`input[name=error][value=${error}]`)
  )?.dataset ?? {};
  const attributes = { class: `flag ${error}`, role: "img", "aria-label": name, title: name, lang: "en" };
  return element("span", attributes, sign);
}

/** @param {string} text */
function shortened(text, length = 56) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

class DecisionList {
  /** The part chains of the items. @type {number[]} */
  #chains = [];

  /**
   * @param {HTMLElement} list
   * @param {DocumentText} text
   * @param {(chain: number) => void} onSelect
   */
  constructor(list, text, onSelect) {
    this.list = list;
    this.text = text;
    list.addEventListener("click", ({ target }) => {
      const item = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-select]"));
      if (item) onSelect(Number(item.dataset.select));
    });
    list.addEventListener("keydown", (event) => {
      const { target, key } = event;
      const steps = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }[key];
      if (!steps || !(/** @type {Element} */ (target).matches("[data-select]"))) return;
      event.preventDefault();
      const items = [...list.querySelectorAll("[data-select]")];
      const to = items.indexOf(/** @type {Element} */ (target)) + steps;
      const goal = /** @type {HTMLElement} */ (items[Math.max(0, Math.min(items.length - 1, to))]);
      onSelect(Number(goal.dataset.select));
      this.#itemOf(Number(goal.dataset.select))?.focus();
    });
  }

  get length() {
    return this.#chains.length;
  }

  /** A list of decisions. @param {{chain: number, error: string}[]} decisions @param {string} nothing why it is empty */
  drawDecisions(decisions, nothing) {
    this.#draw(
      decisions.map(({ chain, error }) => {
        const { part } = this.text.data.chains[chain];
        const where = `part ${this.text.data.parts[part].number}`;
        return { chain, flag: error ? [flagOf(error)] : [], name: nameOfChains(this.text.data, [chain]), where };
      }),
      nothing,
    );
  }

  /** The merged chains of a merge. @param {number[]} merged @param {number[]} human @param {Set<number>} kept part chains */
  drawChains(merged, human, kept, nothing) {
    const { data } = this.text;
    /** @type {Map<number, number[]>} */
    const members = new Map();
    merged.forEach((number, chain) => members.set(number, [...(members.get(number) ?? []), chain]));
    const whole = new Set([...new Set(human)].map((number) => `${indexesOf(human, number)}`));
    const items = [...members.values()].filter((chains) => chains.some((chain) => kept.has(chain)));
    this.#draw(
      items.map((chains) => {
        const mentions = chains.reduce((sum, chain) => sum + data.chains[chain].mentions.length, 0);
        const same = whole.has(`${chains}`);
        const sign = same ? "✓" : "≠";
        const told = same ? "as in the gold merges" : "not as in the gold merges";
        const attributes = { class: `flag ${same ? RIGHT : "unlike"}`, role: "img", "aria-label": told, title: told };
        const flag = [element("span", attributes, sign)];
        const where = `${counted(mentions, "mention")}, ${this.text.partsOf(chains)}`;
        return { chain: chains[0], flag, name: nameOfChains(data, chains), where, number: chains[0] + 1 };
      }),
      nothing,
    );
  }

  #draw(/** @type {{chain: number, flag: Node[], name: string, where: string, number?: number}[]} */ items, nothing) {
    this.#chains = items.map(({ chain }) => chain);
    const drawn = items.map(({ chain, flag, name, where, number }) => {
      const title = element("bdi", { class: "name", lang: "" }, shortened(name));
      const count = number === undefined ? [] : [element("span", { class: "number" }, `${number}`), " "];
      const line = [...flag, element("span", { class: "line" }, ...count, title, " ", element("small", {}, where))];
      const button = element("button", { type: "button", tabindex: "-1", "data-select": `${chain}` }, ...line);
      return element("li", {}, button);
    });
    this.list.replaceChildren(...(drawn.length ? drawn : [element("li", { class: "nothing" }, nothing)]));
    this.#itemOf(this.#chains[0])?.setAttribute("tabindex", "0");
    this.list.scrollTop = 0;
  }

  /** @param {number} chain @returns {HTMLElement | null} */
  #itemOf(chain) {
    return this.list.querySelector(`[data-select="${chain}"]`);
  }

  /** Opens the item of a chain, with what is to be told of it. @param {number} chain @param {HTMLElement[]} more */
  open(chain, more) {
    for (const old of this.list.querySelectorAll(".more")) old.remove();
    for (const old of this.list.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
    const button = this.#itemOf(chain);
    if (!button) return;
    for (const old of this.list.querySelectorAll("[data-select][tabindex='0']")) old.setAttribute("tabindex", "-1");
    button.setAttribute("tabindex", "0");
    const item = /** @type {HTMLElement} */ (button.parentElement);
    item.setAttribute("aria-current", "true");
    item.append(element("div", { class: "more" }, ...more));
    const { list } = this;
    const [top, end] = [item.offsetTop, item.offsetTop + item.offsetHeight];
    if (top < list.scrollTop || end > list.scrollTop + list.clientHeight) list.scrollTop = top;
  }

  /** The facts about a decision. @param {Decision} decision @param {Side[]} sides the gold merges last */
  describe({ chain, human, error, shared, distance }, sides, wordClass, address) {
    const rows = sides.map((side) => this.#row(side, this.#antecedent(side.antecedent)));
    for (const { name, evidence } of sides) {
      if (evidence) rows.push(factRow([sides.length > 2 ? `${name} by` : "by"], this.#evidence(evidence)));
    }
    const told = [element("dl", {}, ...rows)];
    if (shared && error !== RIGHT) {
      const part = `Partly right: ${shared} of ${counted(human.length, "part chain")} of the gold antecedent.`;
      told.push(element("p", {}, `${part} Such a decision mostly follows from an earlier error.`));
    }
    const mentions = counted(this.text.data.chains[chain].mentions.length, "mention");
    const facts = [wordClass, mentions, ...(distance === null ? [] : [`${counted(distance, "token")} apart`])];
    return [...told, this.#foot(facts.join(", "), address)];
  }

  /** What is told of a chain without a decision: who continues it. @param {{name: string, later: number[]}[]} sides */
  describeChain(chain, sides, intro, address) {
    const rows = sides.map(({ name, later }) => factRow([name], later.length ? this.#names(later) : ["nothing"]));
    const mentions = counted(this.text.data.chains[chain].mentions.length, "mention");
    return [element("p", {}, intro), element("dl", {}, ...rows), this.#foot(mentions, address)];
  }

  #foot(/** @type {string} */ facts, /** @type {string} */ address) {
    return element("p", { class: "foot" }, facts, " ", element("a", { href: address }, "Link to this"));
  }

  /** @param {Side} side */
  #row({ name, error }, told) {
    return factRow([...(error ? [flagOf(error), " "] : []), name], told);
  }

  /** An antecedent goes by its best name, and leads to its last mention, which a reader of the text has seen last. */
  #antecedent(/** @type {number[]} */ chains) {
    if (!chains.length) return [element("i", {}, "new chain")];
    const pieces = this.lastMention(chains[chains.length - 1]);
    const name = this.#jump(nameOfChains(this.text.data, chains), pieces);
    return [name, " ", element("small", {}, this.text.partsOf(chains))];
  }

  #names(/** @type {number[]} */ chains) {
    return chains.flatMap((chain, at) => [
      ...(at ? [", "] : []),
      this.#jump(nameOfChains(this.text.data, [chain]), this.text.pieces[chain][0]),
    ]);
  }

  lastMention(/** @type {number} */ chain) {
    return this.text.pieces[chain][this.text.pieces[chain].length - 1];
  }

  #evidence(/** @type {Evidence} */ { rule, text, score, pair, pairs }) {
    const told = [rule, ...(text ? [" ", element("q", { lang: "" }, text)] : [])];
    if (score !== null) told.push(`, score ${score.toFixed(2)}`);
    if (!pair) return told;
    const [here, there] = pair.map((place) => this.text.at(place));
    const more = pairs > 1 ? [element("small", {}, ` and ${counted(pairs - 1, "more pair")}`)] : [];
    return [...told, ": ", this.#jump(there.text, there.pieces), " and ", this.#jump(here.text, here.pieces), ...more];
  }

  #jump(/** @type {string} */ text, /** @type {Pieces} */ pieces) {
    const attributes = { type: "button", class: "jump", lang: "", dir: "auto", title: text };
    const button = element("button", attributes, shortened(text, 48));
    button.addEventListener("click", () => this.text.show(pieces));
    return button;
  }
}

/** @param {(Node | string)[]} term @param {(Node | string)[]} told */
function factRow(term, told) {
  return element("div", {}, element("dt", {}, ...term), element("dd", {}, ...told));
}

/** @param {number[]} all @param {number} number */
function indexesOf(all, number) {
  return [...all.keys()].filter((at) => all[at] === number);
}
