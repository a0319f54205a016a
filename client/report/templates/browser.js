"use strict";

/**
 * The document browser of the report, after browser_text.js. The controls of its form are its only state, and
 * location.hash is that form written out. Types are those of browser_text.js.
 */

/** @param {string} id @returns {any} */
function byId(id) {
  return document.getElementById(id);
}

/** @param {string} id */
function readJson(id) {
  return JSON.parse(byId(id).textContent);
}

/** What a noun filter is compared with: the nouns of the chain, and the evidence, whole and by word. */
function termsOf(/** @type {Chain} */ { nouns }, /** @type {Wrong} */ { evidence }) {
  const text = evidence?.text ?? "";
  return new Set([...nouns, text, ...text.split(/\s+/)].filter(Boolean).map((each) => each.toLowerCase()));
}

class DocumentBrowser {
  /** @type {DocumentData[]} */
  #parsed = [];
  /** @type {WeakMap<Wrong, Set<string>>} */
  #terms = new WeakMap();
  /** The document drawn, and the wrong decision stepped to among those listed; -1: none. */
  #drawn = -1;
  #current = -1;
  /** @type {Wrong[]} */
  #listed = [];
  #counting = false;
  #nounsOf = "";

  constructor() {
    /** @type {HTMLFormElement} */
    this.form = byId("browser-controls");
    /** @type {HTMLSelectElement} */
    this.documents = byId("browser-document");
    /** @type {HTMLSelectElement} */
    this.strategies = byId("browser-strategy");
    /** @type {HTMLInputElement} */
    this.nounField = byId("browser-noun");
    /** @type {HTMLElement} */
    this.list = byId("browser-wrong");
    /** @type {HTMLInputElement[]} */
    this.errors = Array.from(this.form.querySelectorAll("input[name=error]"));
    this.text = new DocumentText(byId("browser-parts"), byId("browser-chain"));
    /** @type {Index} */
    this.index = readJson("browser-index");
    const option = (/** @type {string} */ name) => element("option", { value: name }, name);
    this.documents.append(...this.index.documents.map(({ id }) => option(id)));
    this.strategies.append(...this.index.strategies.map(option));
    const telling = this.index.strategies.findIndex((name) => name !== "none" && name !== "oracle");
    this.strategies.selectedIndex = Math.max(telling, 0);
  }

  start() {
    const linked = this.#readHash();
    byId("browser-body").hidden = false;
    this.#listen();
    this.#update();
    performance.mark("first-document");
    if (linked) byId("browser").scrollIntoView();
    // The other documents are read for the counts, which can wait until this one is on the screen.
    requestAnimationFrame(() =>
      setTimeout(() => {
        this.#counting = true;
        this.#update();
      }),
    );
  }

  #listen() {
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.#changed());
    byId("browser").addEventListener("click", (/** @type {MouseEvent} */ event) => {
      const button = /** @type {Element} */ (event.target).closest("button");
      const { step, turn, noun } = button?.dataset ?? {};
      if (step) this.#step(Number(step));
      if (turn) {
        this.documents.selectedIndex = this.#documentAfter(Number(turn));
        this.#changed();
      }
      if (noun) {
        this.nounField.value = this.#noun === noun.toLowerCase() ? "" : noun;
        this.#changed();
      }
    });
    document.addEventListener("keydown", (event) => this.#onKey(event));
    addEventListener("hashchange", () => {
      if (this.#readHash()) this.#update();
    });
  }

  #onKey(/** @type {KeyboardEvent} */ event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const elsewhere = target !== document.body && !target.closest("#browser");
    const typing = target.closest("select, input:not([type=radio], [type=checkbox])");
    if (elsewhere || typing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "n") this.#step(1);
    if (event.key === "p") this.#step(-1);
    if (event.key === "m") {
      this.#setView(this.#view === "human" ? "automatic" : "human");
      this.#changed();
    }
  }

  // The controls

  get #view() {
    return /** @type {RadioNodeList} */ (this.form.elements.namedItem("view")).value;
  }

  /** @param {string | null} view */
  #setView(view) {
    /** @type {RadioNodeList} */ (this.form.elements.namedItem("view")).value = view === "human" ? view : "automatic";
  }

  get #noun() {
    return this.nounField.value.trim().toLowerCase();
  }

  get #wantedErrors() {
    return new Set(this.errors.filter((box) => box.checked).map((box) => box.value));
  }

  #readHash() {
    const fields = new URLSearchParams(location.hash.slice(1));
    if (!fields.has("document")) return false;
    for (const select of [this.documents, this.strategies]) {
      const option = [...select.options].find(({ value }) => value === fields.get(select.name));
      if (option) select.selectedIndex = option.index;
    }
    this.#setView(fields.get("view"));
    for (const box of this.errors) box.checked = fields.getAll("error").includes(box.value);
    this.nounField.value = fields.get("noun") ?? "";
    return true;
  }

  #changed() {
    this.#update();
    const fields = [...new FormData(this.form)].map(([name, value]) => [name, String(value)]);
    try {
      history.replaceState(null, "", `#${new URLSearchParams(fields)}`);
    } catch {
      // A page without an address of its own, such as a frame in a notebook, has nowhere to keep it.
    }
  }

  // Documents and their wrong decisions

  /** @param {number} number @returns {DocumentData} */
  #data(number) {
    return (this.#parsed[number] ??= readJson(`document-${number}`));
  }

  #documentAfter(/** @type {number} */ steps) {
    const { length } = this.index.documents;
    return (((this.documents.selectedIndex + steps) % length) + length) % length;
  }

  /** @param {number} number */
  #outcome(number) {
    return this.#data(number).strategies[this.strategies.selectedIndex];
  }

  #termsOf(/** @type {number} */ number, /** @type {Wrong} */ wrong) {
    const known = this.#terms.get(wrong) ?? termsOf(this.#data(number).chains[wrong.chain], wrong);
    this.#terms.set(wrong, known);
    return known;
  }

  /** The wrong decisions of a document that have the noun, whatever their error. @param {number} number */
  #withNoun(number) {
    const wrong = this.#outcome(number).wrong ?? [];
    return this.#noun ? wrong.filter((each) => this.#termsOf(number, each).has(this.#noun)) : wrong;
  }

  /** @param {number} number */
  #filtered(number) {
    const wanted = this.#wantedErrors;
    return this.#withNoun(number).filter(({ error }) => wanted.has(error));
  }

  // What is shown

  #update() {
    const number = this.documents.selectedIndex;
    const before = this.#listed;
    const redrawn = this.#drawn !== number;
    if (redrawn) this.text.draw(this.#data(number));
    this.#drawn = number;
    this.#listed = this.#filtered(number);
    this.#current = this.#current < 0 ? -1 : this.#listed.indexOf(before[this.#current]);
    const { merged = this.text.data.human } = this.#outcome(number);
    this.text.paint(this.#view === "automatic" ? merged : this.text.data.human);
    this.text.mark(this.#listed, (error) => this.#flag(error));
    this.text.light(this.text.focused());
    // A list that stays the same keeps its scroll position and the focus that may be in it.
    const same = before.length === this.#listed.length && before.every((each, at) => each === this.#listed[at]);
    if (redrawn || !same || !before.length) this.#drawList();
    if (this.#counting) this.#showCounts();
    this.#showStatus();
    this.#showCaption();
  }

  #flag(/** @type {string} */ error) {
    const { name = error, sign = "!" } = this.errors.find((box) => box.value === error)?.dataset ?? {};
    return element("span", { class: "flag", role: "img", "aria-label": name, title: name, lang: "en" }, sign);
  }

  #drawList() {
    const { failure, wrong = [] } = this.#outcome(this.#drawn);
    const reason = failure ?? (wrong.length ? "None with this error and noun." : "None in this document.");
    const title = failure === undefined ? "" : "The strategy failed here, the human merges are shown. ";
    const nothing = element("li", { class: "nothing" }, title, element("span", { lang: "" }, reason));
    this.list.replaceChildren(...(this.#listed.length ? this.#listed.map((each) => this.#describe(each)) : [nothing]));
    this.list.scrollTop = 0;
  }

  /** @param {Wrong} wrong */
  #describe(wrong) {
    const { chain, human, made, shared, evidence } = wrong;
    const { name, mentions } = this.text.data.chains[chain];
    const facts = [
      ["strategy", ...this.#antecedent(made)],
      ["human", ...this.#antecedent(human)],
      ...(evidence ? [["evidence", ...this.#evidence(evidence)]] : []),
    ].map(([term, ...told]) => element("div", {}, element("dt", {}, term), element("dd", {}, ...told)));
    const flag = this.#flag(wrong.error);
    const kind = element("p", { class: "kind" }, flag, ` ${flag.title}, ${this.text.partsOf([chain])}`);
    const subject = this.#jump(name, this.text.pieces[chain][0]);
    subject.classList.add("subject");
    const count = element("small", {}, counted(mentions.length, "mention"));
    const item = element("li", {}, kind, element("p", {}, subject, " ", count));
    item.append(element("dl", {}, ...facts));
    if (shared) {
      const told = `Partly right: ${shared} of ${counted(human.length, "part chain")} of the human antecedent.`;
      item.append(element("p", { class: "aside" }, `${told} Mostly such a decision follows from an earlier error.`));
    }
    return item;
  }

  /** An antecedent goes by its nearest part chain, which a reader of the text has seen last. */
  #antecedent(/** @type {number[]} */ chains) {
    if (!chains.length) return ["new chain"];
    const nearest = chains[chains.length - 1];
    const name = this.#jump(this.text.data.chains[nearest].name, this.#lastMention(nearest));
    return [name, " ", element("small", {}, this.text.partsOf(chains))];
  }

  #lastMention(/** @type {number} */ chain) {
    const mentions = this.text.pieces[chain];
    return mentions[mentions.length - 1];
  }

  #evidence(/** @type {Evidence} */ { rule, text, score, pairs }) {
    const told = [rule, ...(text ? [" ", element("q", { lang: "" }, text)] : [])];
    if (score !== null) told.push(`, score ${score.toFixed(2)}`);
    if (!pairs.length) return told;
    const [here, there] = pairs[0].map((place) => this.text.at(place));
    const more = pairs.length > 1 ? [element("small", {}, `and ${counted(pairs.length - 1, "more pair")}`)] : [];
    const lines = [this.#jump(there.text, there.pieces), this.#jump(here.text, here.pieces), ...more];
    return [...told, ":", ...lines.map((line) => element("div", {}, line))];
  }

  #jump(/** @type {string} */ text, /** @type {Pieces} */ pieces) {
    const shown = text.length > 48 ? `${text.slice(0, 47)}…` : text;
    const button = element("button", { type: "button", class: "jump", lang: "", dir: "auto", title: text }, shown);
    button.addEventListener("click", () => this.text.show(pieces));
    return button;
  }

  /** To the next (1) or previous (-1) wrong decision; from the end of a document on into the next that has one. */
  #step(/** @type {number} */ direction) {
    const position = this.#current < 0 && direction < 0 ? this.#listed.length - 1 : this.#current + direction;
    if (position in this.#listed) return this.#goTo(position);
    for (let away = 1; away <= this.index.documents.length; away++) {
      const number = this.#documentAfter(direction * away);
      if (!this.#filtered(number).length) continue;
      this.documents.selectedIndex = number;
      this.#changed();
      return this.#goTo(direction > 0 ? 0 : this.#listed.length - 1);
    }
  }

  #goTo(/** @type {number} */ position) {
    this.#current = position;
    const item = /** @type {HTMLElement} */ (this.list.children[position]);
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    item.setAttribute("aria-current", "true");
    this.list.scrollTop = item.offsetTop - this.list.offsetTop;
    const { chain, human, made } = this.#listed[position];
    const antecedents = [human, made].filter((chains) => chains.length).map((chains) => chains[chains.length - 1]);
    const beside = antecedents.map((nearest) => this.#lastMention(nearest));
    this.text.show(this.text.pieces[chain][0], beside);
    this.#showStatus();
  }

  // Counts

  #showStatus() {
    const here = this.#current < 0 ? `${this.#listed.length}` : `${this.#current + 1} of ${this.#listed.length}`;
    const all = this.#counting ? this.index.documents.reduce((sum, _, at) => sum + this.#filtered(at).length, 0) : NaN;
    byId("browser-status").textContent = `${here} here${this.#counting ? `, ${all} in all` : ""}`;
    for (const button of document.querySelectorAll("[data-step]")) button.toggleAttribute("disabled", all === 0);
  }

  #showCounts() {
    /** @type {Map<string, number>} */
    const byError = new Map();
    [...this.documents.options].forEach((option, number) => {
      for (const { error } of this.#withNoun(number)) byError.set(error, (byError.get(error) ?? 0) + 1);
      const failed = this.#outcome(number).failure !== undefined;
      option.text = `${option.value} (${failed ? "failed" : `${this.#filtered(number).length} wrong`})`;
    });
    for (const box of this.errors) {
      const count = /** @type {HTMLElement} */ (box.closest("label")?.querySelector(".count"));
      count.textContent = String(byError.get(box.value) ?? 0);
    }
    const asked = [this.strategies.selectedIndex, ...this.#wantedErrors].join();
    if (asked !== this.#nounsOf) this.#drawNouns();
    this.#nounsOf = asked;
    for (const button of byId("browser-nouns").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.noun.toLowerCase() === this.#noun));
    }
  }

  /** The nouns that most wrong decisions of all documents have, each with what the filter would let through. */
  #drawNouns() {
    const wanted = this.#wantedErrors;
    /** @type {Map<string, number>} */
    const counts = new Map();
    /** @type {Map<string, string>} as first written; what is only in evidence is no noun and has none */
    const written = new Map();
    this.index.documents.forEach((_, number) => {
      for (const wrong of this.#outcome(number).wrong ?? []) {
        if (!wanted.has(wrong.error)) continue;
        for (const term of this.#termsOf(number, wrong)) counts.set(term, (counts.get(term) ?? 0) + 1);
        for (const noun of this.#data(number).chains[wrong.chain].nouns) {
          if (!written.has(noun.toLowerCase())) written.set(noun.toLowerCase(), noun);
        }
      }
    });
    const most = [...written].map(([term, noun]) => ({ noun, count: counts.get(term) ?? 0 }));
    most.sort((a, b) => b.count - a.count || (a.noun < b.noun ? -1 : 1));
    byId("browser-noun-list").replaceChildren(
      ...most.slice(0, 200).map(({ noun }) => element("option", { value: noun })),
    );
    const buttons = most.slice(0, 20).map(({ noun, count }) => {
      const told = [element("bdi", { lang: "" }, noun), " ", element("span", { class: "count" }, `${count}`)];
      return element("button", { type: "button", "data-noun": noun }, ...told);
    });
    byId("browser-nouns").replaceChildren(byId("browser-nouns-title"), ...buttons);
    byId("browser-nouns").hidden = !buttons.length;
  }

  #showCaption() {
    const { id, genre, tokens, parts, chains } = this.index.documents[this.#drawn];
    const facts = [genre, counted(tokens, "token"), counted(parts, "part"), counted(chains, "chain")].filter(Boolean);
    const strategy = this.strategies.value;
    const automatic = this.#view === "automatic" && this.#outcome(this.#drawn).merged;
    const kinds = this.errors.filter((box) => box.checked).map((box) => box.dataset.name);
    const shown = [
      `chains as merged by ${automatic ? strategy : "people"}`,
      `wrong decisions of ${strategy}: ${kinds.join(", ") || "none"}`,
      ...(this.#noun ? [`with the noun ${this.nounField.value.trim()}`] : []),
    ];
    const caption = [element("b", {}, id), ` ${facts.join(", ")}`];
    const printed = element("span", { class: "print-only" }, `; ${shown.join("; ")}`);
    byId("browser-caption").replaceChildren(...caption, printed);
  }
}

/** The theme is that of the system until the button is pressed. */
function startThemeToggle() {
  const { dataset } = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const toggle = byId("theme-toggle");
  if (!toggle) return;
  const isDark = () => (dataset.theme ? dataset.theme === "dark" : system.matches);
  const show = () => toggle.setAttribute("aria-pressed", String(isDark()));
  toggle.addEventListener("click", () => {
    dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  system.addEventListener("change", show);
  show();
  toggle.hidden = false;
}

startThemeToggle();
if (byId("browser")) new DocumentBrowser().start();
