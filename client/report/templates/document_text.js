"use strict";

/**
 * The text of one document with its mentions, as browser.js shows it. Every text goes into the page as a text node.
 *
 * @typedef {[first: number, last: number]} Span tokens of a sentence, 0-based, both ends included
 * @typedef {[part: number, sentence: number, spans: Span[]]} Place
 * @typedef {{part: number, id: string, name: number, telling: number, class: number, start: number, end: number,
 *   nouns: string[], mentions: [sentence: number, spans: Span[]][]}} Chain as browser_data.py has it
 * @typedef {{tokens: string[], speaker: string | null}} Sentence
 * @typedef {{number: number, sentences: Sentence[]}} Part
 * @typedef {{rule: string, text: string, score: number | null, pair: [Place, Place] | null, pairs: number}} Evidence
 * @typedef {{failure?: string, merged?: number[], evidence?: Record<string, Evidence>}} Outcome
 * @typedef {{parts: Part[], chains: Chain[], human: number[], strategies: Outcome[]}} DocumentData
 * @typedef {HTMLElement[]} Pieces the elements of one mention, in text order
 */

/** @type {(tag: string, attributes?: Record<string, string>, ...children: (Node | string)[]) => HTMLElement} */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** @param {number} count @param {string} noun */
function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

const CLOSING = /^(?:[.,;:!?%)\]}…”’]+|n['’]t|['’](?:s|m|d|re|ve|ll))$/i;
const OPENING = /^[([{“‘]$/;
const PLURAL = /s$/i;

/** What stands between two tokens: a blank, but none where English and its like write none. */
function gap(/** @type {string} */ before, /** @type {string} */ token) {
  const possessive = token === "'" && PLURAL.test(before);
  return CLOSING.test(token) || OPENING.test(before) || possessive ? "" : " ";
}

/** @param {string[]} tokens */
function joinTokens(tokens) {
  return tokens.reduce((text, token, at) => text + (at ? gap(tokens[at - 1], token) : "") + token, "");
}

/** @param {string[]} tokens @param {Span[]} spans */
function textOfSpans(tokens, spans) {
  return spans.map(([first, last]) => joinTokens(tokens.slice(first, last + 1))).join(" … ");
}

/** @param {DocumentData} data @param {number} chain @returns {string[]} */
function mentionTexts(data, chain) {
  const { part, mentions } = data.chains[chain];
  return mentions.map(([sentence, spans]) => textOfSpans(data.parts[part].sentences[sentence].tokens, spans));
}

/** The name of the chain that has the most telling one, of those with that the longest. */
function nameOfChains(/** @type {DocumentData} */ data, /** @type {number[]} */ chains) {
  const least = Math.min(...chains.map((chain) => data.chains[chain].telling));
  const names = chains
    .filter((chain) => data.chains[chain].telling === least)
    .map((chain) => mentionTexts(data, chain)[data.chains[chain].name]);
  return names.reduce((longest, name) => (name.length > longest.length ? name : longest));
}

/**
 * Puts the tokens into an element, and elements for mentions around them. Mentions that lie in one another nest. Of
 * two that cross, the one that starts later is cut where the other ends. Elements are added to each mention's pieces.
 *
 * @param {string[]} tokens
 * @param {{spans: Span[], pieces: Pieces}[]} mentions
 * @param {HTMLElement} into
 */
function drawTokens(tokens, mentions, into) {
  /** @type {{last: number, pieces: Pieces}[][]} by first token */
  const starts = tokens.map(() => []);
  for (const { spans, pieces } of mentions) for (const [first, last] of spans) starts[first].push({ last, pieces });
  const open = [{ last: tokens.length - 1, box: into }];
  tokens.forEach((token, at) => {
    while (open[open.length - 1].last < at) open.pop();
    if (at) open[open.length - 1].box.append(gap(tokens[at - 1], token));
    for (const { last, pieces } of starts[at].sort((a, b) => b.last - a.last)) {
      const outer = open[open.length - 1];
      const end = Math.min(last, outer.last);
      if (last > end) starts[end + 1].push({ last, pieces });
      const box = element("mark", { class: "mention", tabindex: "-1" });
      outer.box.append(box);
      pieces.push(box);
      open.push({ last: end, box });
    }
    open[open.length - 1].box.append(token);
  });
}

/**
 * The merged chains that reach over several parts.
 *
 * @param {number[]} merged the merged chain of each part chain
 * @param {Chain[]} chains
 */
function spreadChains(merged, chains) {
  const first = new Map();
  const spread = new Set();
  merged.forEach((number, chain) => {
    const { part } = chains[chain];
    if (!first.has(number)) first.set(number, part);
    else if (first.get(number) !== part) spread.add(number);
  });
  return spread;
}

/**
 * A hue for each first part chain of what anybody merged over parts, so that a merged chain keeps its colour from view
 * to view. Steps of the golden angle keep neighbours apart.
 *
 * @param {DocumentData} data
 * @returns {Map<number, number>} degrees by part chain
 */
function huesOfRoots(data) {
  const roots = new Set();
  for (const merged of [data.human, ...data.strategies.map((each) => each.merged ?? [])]) {
    for (const number of spreadChains(merged, data.chains)) roots.add(merged.indexOf(number));
  }
  return new Map([...roots].sort((a, b) => a - b).map((root, rank) => [root, Math.round((25 + rank * 137.508) % 360)]));
}

class DocumentText {
  /** The same document merged in another way, beside this one. @type {DocumentText | null} */
  peer = null;

  /**
   * @param {HTMLElement} box holds the parts
   * @param {HTMLElement} line tells of the chain under the pointer or the focus
   * @param {(chain: number) => void} onSelect a mention of this part chain was clicked
   */
  constructor(box, line, onSelect) {
    this.box = box;
    this.line = line;
    this.data = /** @type {DocumentData} */ ({ parts: [], chains: [], human: [], strategies: [] });
    /** @type {Pieces[][]} by part chain and mention */
    this.pieces = [];
    /** @type {HTMLElement[][]} by part and sentence */
    this.sentences = [];
    /** @type {number[]} the merged chain of each part chain, as shown */
    this.merged = [];
    box.addEventListener("pointerover", (event) => this.light(this.chainAt(event.target) ?? this.focused()));
    box.addEventListener("pointerleave", () => this.light(this.focused()));
    box.addEventListener("focusin", () => this.light(this.focused()));
    box.addEventListener("focusout", () => this.light(undefined));
    box.addEventListener("keydown", (event) => this.#onKey(event));
    box.addEventListener("scroll", (event) => this.#scrollPeer(event), { capture: true });
    box.addEventListener("click", ({ target }) => {
      const chain = this.chainAt(target);
      if (chain === undefined || getSelection()?.type === "Range") return;
      this.#focus(/** @type {HTMLElement} */ (/** @type {Element} */ (target).closest(".mention")));
      onSelect(chain);
    });
  }

  /** @param {DocumentData} data */
  draw(data) {
    this.data = data;
    this.hues = huesOfRoots(data);
    this.pieces = data.chains.map((chain) => chain.mentions.map(() => []));
    this.sentences = data.parts.map(({ sentences }) =>
      sentences.map(() => element("p", { class: "sentence", dir: "auto" })),
    );
    this.box.replaceChildren(...data.parts.map((part, at) => this.#drawPart(part, at)));
    this.box.scrollTo(0, 0);
    this.box.querySelector(".mention")?.setAttribute("tabindex", "0");
    this.pieces.forEach((mentions, chain) => {
      for (const pieces of mentions) {
        for (const piece of pieces) piece.dataset.chain = String(chain);
        for (const piece of pieces.slice(1)) piece.classList.add("cut-before");
        for (const piece of pieces.slice(0, -1)) piece.classList.add("cut-after");
      }
    });
  }

  /** @param {Part} part @param {number} at */
  #drawPart(part, at) {
    /** @type {{spans: Span[], pieces: Pieces}[][]} by sentence */
    const mentions = part.sentences.map(() => []);
    this.data.chains.forEach((chain, number) => {
      if (chain.part !== at) return;
      chain.mentions.forEach(([sentence, spans], mention) => {
        mentions[sentence].push({ spans, pieces: this.pieces[number][mention] });
      });
    });
    part.sentences.forEach(({ tokens, speaker }, sentence) => {
      const into = this.sentences[at][sentence];
      if (speaker !== null && speaker !== part.sentences[sentence - 1]?.speaker) {
        into.append(element("bdi", { class: "speaker" }, speaker), " ");
      }
      drawTokens(tokens, mentions[sentence], into);
    });
    const label = `Part ${part.number}`;
    const title = element("h3", { lang: "en" }, label);
    const named = `${label}${this.box.dataset.beside ?? ""}`;
    return element("section", { class: "part", tabindex: "0", "aria-label": named }, title, ...this.sentences[at]);
  }

  /** @param {number[]} merged the merged chain of each part chain */
  paint(merged) {
    this.merged = merged;
    const spread = spreadChains(merged, this.data.chains);
    this.pieces.forEach((mentions, chain) => {
      const root = merged.indexOf(merged[chain]);
      for (const pieces of mentions) {
        for (const piece of pieces) {
          piece.classList.toggle("spread", spread.has(merged[chain]));
          piece.style.setProperty("--hue", String(this.hues?.get(root) ?? 0));
          piece.dataset.number = "";
        }
        pieces[pieces.length - 1].dataset.number = String(root + 1);
      }
    });
  }

  /** @param {{chain: number, error: string}[]} decisions @param {(error: string) => HTMLElement} flag */
  mark(decisions, flag) {
    for (const old of this.box.querySelectorAll(".flag")) old.remove();
    for (const old of this.box.querySelectorAll(".wrong")) old.classList.remove("wrong");
    for (const { chain, error } of decisions) {
      for (const pieces of this.pieces[chain]) {
        for (const piece of pieces) piece.classList.toggle("wrong", error !== "right");
        pieces[0].prepend(flag(error));
      }
    }
  }

  /** Sets the mentions of one part chain apart. @param {number} chain -1: none */
  choose(chain) {
    for (const old of this.box.querySelectorAll(".chosen")) old.classList.remove("chosen");
    for (const piece of this.pieces[chain]?.flat() ?? []) piece.classList.add("chosen");
  }

  /** Shows what the merged chain of a part chain has in it, here and in the text beside. */
  light(/** @type {number | undefined} */ chain) {
    const members = this.#lightMembers(chain);
    this.peer?.#lightMembers(chain);
    this.line.replaceChildren();
    if (chain === undefined) return;
    const name = element("bdi", { lang: "" }, nameOfChains(this.data, members));
    const mentions = members.reduce((sum, member) => sum + this.data.chains[member].mentions.length, 0);
    const told = `: ${counted(mentions, "mention")} in ${this.partsOf(members)}`;
    this.line.append(element("b", {}, `${members[0] + 1}`), " ", name, told);
  }

  #lightMembers(/** @type {number | undefined} */ chain) {
    for (const old of this.box.querySelectorAll(".lit")) old.classList.remove("lit");
    if (chain === undefined) return [];
    const members = [...this.merged.keys()].filter((other) => this.merged[other] === this.merged[chain]);
    for (const member of members) for (const piece of this.pieces[member].flat()) piece.classList.add("lit");
    return members;
  }

  /** @param {number[]} chains */
  partsOf(chains) {
    const parts = new Set(chains.map((chain) => this.data.parts[this.data.chains[chain].part].number));
    return `${parts.size === 1 ? "part" : "parts"} ${[...parts].join(", ")}`;
  }

  /** The text at a place, and what to show there: a mention, or the sentence where no given chain has that mention. */
  at(/** @type {Place} */ [part, sentence, spans]) {
    const text = textOfSpans(this.data.parts[part].sentences[sentence].tokens, spans);
    for (const [number, chain] of this.data.chains.entries()) {
      if (chain.part !== part) continue;
      const found = chain.mentions.findIndex((each) => each[0] === sentence && `${each[1]}` === `${spans}`);
      if (found >= 0) return { text, pieces: this.pieces[number][found] };
    }
    return { text, pieces: [this.sentences[part][sentence]] };
  }

  /**
   * Brings a mention into view, its whole part with it, and lets it flash.
   *
   * @param {Pieces} pieces
   * @param {Pieces[]} beside other mentions to have in view, where their part has a column of its own
   * @param {boolean} focus whether it gets the focus
   */
  show(pieces, beside = [], focus = true) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const behavior = calm ? "instant" : "smooth";
    if (focus) this.#focus(pieces[0]);
    const goals = [...beside, pieces].map(([goal]) => goal);
    if (getComputedStyle(this.box).overflowX === "visible") {
      pieces[0].scrollIntoView({ block: "center", inline: "nearest", behavior });
    } else {
      this.#scrollColumns(goals, behavior);
      this.box.closest(".reading")?.scrollIntoView({ block: "nearest", behavior });
    }
    if (calm) return;
    const ring = { outline: "3px solid var(--accent)", outlineOffset: "6px" };
    for (const piece of pieces) piece.animate([ring, ring, { outlineOffset: "1px" }], { duration: 1200 });
  }

  /** Each goal to the middle of its part, and their parts into view as whole columns, the last one above all. */
  #scrollColumns(/** @type {HTMLElement[]} */ goals, /** @type {ScrollBehavior} */ behavior) {
    let left = this.box.scrollLeft;
    for (const goal of goals) {
      const part = /** @type {HTMLElement} */ (goal.closest(".part"));
      const [inner, outer] = [goal, part].map((each) => each.getBoundingClientRect());
      const top = part.scrollTop + inner.top - outer.top - (part.clientHeight - Math.min(inner.height, 200)) / 2;
      part.scrollTo({ top, behavior });
      const end = part.offsetLeft + part.offsetWidth - this.box.clientWidth;
      left = Math.min(Math.max(left, end), part.offsetLeft);
    }
    this.box.scrollTo({ left, behavior });
  }

  /** What is beside scrolls along. */
  #scrollPeer(/** @type {Event} */ { target }) {
    if (!this.peer || !this.box.matches(":hover, :focus-within")) return;
    const from = /** @type {HTMLElement} */ (target);
    const at = [...this.box.children].indexOf(from);
    const to = at < 0 ? this.peer.box : this.peer.box.children[at];
    const share = (/** @type {number} */ of, /** @type {number} */ all) => (all > 0 ? of / all : 0);
    to.scrollTop = share(from.scrollTop, from.scrollHeight - from.clientHeight) * (to.scrollHeight - to.clientHeight);
    to.scrollLeft = share(from.scrollLeft, from.scrollWidth - from.clientWidth) * (to.scrollWidth - to.clientWidth);
  }

  /** One mention takes part in the order of the Tab key, the last that was focused. @param {HTMLElement} goal */
  #focus(goal) {
    for (const old of this.box.querySelectorAll(".mention[tabindex='0']")) old.setAttribute("tabindex", "-1");
    goal.setAttribute("tabindex", "0");
    goal.focus({ preventScroll: true });
  }

  /** Left and right go to the mention before and after, up and down to those of the same merged chain. */
  #onKey(/** @type {KeyboardEvent} */ event) {
    const { activeElement } = document;
    if (event.key === "Enter" && this.focused() !== undefined) /** @type {HTMLElement} */ (activeElement).click();
    const direction = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!direction || this.focused() === undefined) return;
    const along = event.key === "ArrowUp" || event.key === "ArrowDown" ? ".mention.lit" : ".mention";
    const stops = /** @type {HTMLElement[]} */ ([...this.box.querySelectorAll(`${along}:not(.cut-before)`)]);
    const goal = stops[stops.indexOf(/** @type {HTMLElement} */ (activeElement)) + direction];
    event.preventDefault();
    if (!goal) return;
    this.#focus(goal);
    goal.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @param {EventTarget | null} target */
  chainAt(target) {
    const mention = target instanceof Element ? target.closest(".mention") : null;
    return mention && this.box.contains(mention) ? Number(mention.getAttribute("data-chain")) : undefined;
  }

  focused() {
    return this.chainAt(document.activeElement);
  }
}
