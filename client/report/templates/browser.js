"use strict";

/** The document browser of the report: what its form says is drawn as text and list. Types are those of decisions.js. */

class DocumentBrowser {
  /** The document drawn, and what the list shows now; -1 and empty: nothing yet. */
  #drawn = -1;
  #listKey = "";
  /** @type {Decision[]} */
  #listed = [];
  /** Other documents are read for counts only once this one is on the screen. */
  #counting = false;

  constructor() {
    /** @type {Index} */
    this.index = readJson("browser-index");
    this.state = new BrowserForm(this.index);
    this.decisions = new Decisions(this.index);
    this.counts = new Counts(this.state, this.decisions);
    const select = (/** @type {number} */ chain) => this.#select(chain, { focus: false });
    this.text = new DocumentText(byId("browser-parts"), byId("browser-chain"), select);
    this.beside = new DocumentText(byId("browser-parts-beside"), byId("browser-chain"), select);
    this.list = new DecisionList(byId("browser-list"), this.text, select);
  }

  start() {
    this.state.reset();
    const linked = this.state.readHash();
    this.#leaveOutOthers();
    if (!this.#isNamed()) this.#chooseDocument((each) => this.index.documents[each].wrong[this.state.strategy] ?? -1);
    byId("browser-body").hidden = false;
    this.#listen();
    this.#update();
    performance.mark("first-document");
    if (linked) this.#arrive();
    requestAnimationFrame(() =>
      setTimeout(() => {
        this.#counting = true;
        this.#update();
      }),
    );
  }

  #listen() {
    const { form } = this.state;
    form.addEventListener("submit", (event) => event.preventDefault());
    byId("browser").addEventListener("input", ({ target }) => {
      if (target === byId("browser-group")) this.#enterGroup();
      this.#changed();
    });
    byId("browser").addEventListener("click", ({ target }) => {
      const { step, turn, noun } = /** @type {Element} */ (target).closest("button")?.dataset ?? {};
      if (step) this.#step(Number(step));
      if (turn) {
        this.state.documents.selectedIndex = this.#documentAfter(Number(turn));
        this.#changed();
      }
      if (noun) {
        this.state.set("text", this.state.filter.text === noun.toLowerCase() ? "" : noun);
        this.#changed();
      }
    });
    document.addEventListener("keydown", (event) => this.#onKey(event));
    addEventListener("hashchange", () => {
      if (this.state.readHash()) this.#followHash();
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
      const views = this.state.other < 0 ? ["people", "strategy"] : ["people", "strategy", "other"];
      this.state.set("view", views[(views.indexOf(this.state.view) + 1) % views.length]);
      this.#changed();
    }
  }

  // Documents

  /** Whether the address names a document that is here. */
  #isNamed() {
    const named = new URLSearchParams(location.hash.slice(1)).get("document");
    return this.index.documents.some(({ id }) => id === named);
  }

  #followHash() {
    this.#leaveOutOthers();
    if (!this.#isNamed()) this.#chooseDocument((each) => this.#filtered(each).length);
    this.#update();
    this.#arrive();
  }

  #arrive() {
    if (this.state.decision >= 0) this.#show(this.state.decision, true);
    else byId("browser").scrollIntoView();
  }

  #enterGroup() {
    this.#leaveOutOthers();
    if (!this.state.inGroup.includes(this.state.document)) this.#chooseDocument((each) => this.#filtered(each).length);
  }

  /** Documents that are not of the group cannot be chosen. */
  #leaveOutOthers() {
    const members = new Set(this.state.inGroup);
    [...this.state.documents.options].forEach((option, at) => {
      option.hidden = option.disabled = !members.has(at);
    });
  }

  /** The document of the group that has most. @param {(document: number) => number} count */
  #chooseDocument(count) {
    const { inGroup } = this.state;
    const counts = inGroup.map(count);
    this.state.documents.selectedIndex = inGroup[counts.indexOf(Math.max(...counts))] ?? 0;
  }

  #documentAfter(/** @type {number} */ steps) {
    const { inGroup, document } = this.state;
    const { length } = inGroup;
    return inGroup[(((inGroup.indexOf(document) + steps) % length) + length) % length] ?? document;
  }

  /** @param {number} document */
  #filtered(document, filter = this.state.filter) {
    return this.decisions.filtered(document, this.state.strategy, this.state.other, filter);
  }

  // What is shown

  #changed() {
    if (this.state.decision >= 0 && this.#drawn !== this.state.document) this.state.decision = -1;
    this.#update();
    this.#writeHash();
  }

  #writeHash() {
    try {
      history.replaceState(null, "", this.state.address());
    } catch {
      // A page without an address of its own, such as a frame in a notebook, has nowhere to keep it.
    }
  }

  #update() {
    const { document, other } = this.state;
    const data = this.decisions.data(document);
    const drawn = this.#drawn === document;
    if (!drawn) this.text.draw(data);
    this.#drawn = document;
    this.#listed = this.#filtered(document);
    byId("browser-outcome").closest(".field").hidden = other < 0;
    byId("browser-view-other").closest("label").hidden = other < 0;
    if (other < 0 && this.state.view === "other") this.state.set("view", "strategy");
    const split = byId("browser-split").checked;
    this.#paint(split);
    this.#drawList(drawn);
    this.text.choose(this.state.decision);
    this.text.light(this.text.focused());
    if (this.#counting) this.counts.show();
    this.#showStatus();
    this.#showCaption(split);
  }

  /** @param {number} strategy -1: the gold merges */
  #nameOf(strategy) {
    return strategy < 0 ? GOLD : this.index.strategies[strategy];
  }

  /** The merges in the first text. Side by side, these are the strategy's. */
  #shown(/** @type {boolean} */ split) {
    if (split || this.state.view === "strategy") return this.state.strategy;
    return this.state.view === "other" ? this.state.other : -1;
  }

  #paint(/** @type {boolean} */ split) {
    const { document, strategy, other, filter } = this.state;
    const data = this.decisions.data(document);
    this.text.paint(this.decisions.merged(document, this.#shown(split)) ?? data.human);
    this.text.mark(this.#listed, flagOf);
    byId("browser-pane-beside").hidden = !split;
    this.text.peer = split ? this.beside : null;
    this.beside.peer = split ? this.text : null;
    byId("browser-view").disabled = split;
    byId("browser-texts").classList.toggle("split", split);
    if (!split) return;
    if (this.beside.data !== data) this.beside.draw(data);
    this.beside.paint(this.decisions.merged(document, other) ?? data.human);
    const theirs = new Set(this.#filtered(document).map(({ chain }) => chain));
    const errors = other < 0 ? [] : this.decisions.all(document, other).filter(({ chain }) => theirs.has(chain));
    this.beside.mark(errors, flagOf);
    this.beside.choose(this.state.decision);
    byId("browser-pane-title").textContent = `Merges: ${this.#nameOf(strategy)}`;
    byId("browser-pane-beside-title").textContent = `Merges: ${this.#nameOf(other)}`;
  }

  #drawList(/** @type {boolean} */ drawn) {
    const { document, strategy, filter } = this.state;
    const chains = this.state.value("list") === "chains";
    const { failure } = this.decisions.data(document).strategies[strategy];
    const key = [chains, strategy, this.state.other, this.text.merged.join(), this.#listed.map((each) => each.chain)];
    // A list that stays the same keeps its scroll position and the focus that may be in it.
    if (!drawn || `${key}` !== this.#listKey) {
      const reason = failure ?? (this.decisions.all(document, strategy).length ? "None with these filters." : "None.");
      const title = failure === undefined ? "" : "The strategy failed on this document; the gold merges are shown: ";
      if (chains) this.#drawChains();
      else this.list.drawDecisions(this.#listed, `${title}${reason}`);
      this.#listKey = `${key}`;
    }
    byId("browser-list-title").textContent = chains ? "Merged chains" : "Decisions";
    this.#openItem(filter);
  }

  #drawChains() {
    const { document, strategy, filter } = this.state;
    const { chains, human } = this.text.data;
    const kept = [...chains.keys()].filter(
      (chain) =>
        (filter.wordClass < 0 || chains[chain].class === filter.wordClass) &&
        (!filter.text || this.decisions.textOf(document, strategy, chain).includes(filter.text)),
    );
    this.list.drawChains(this.text.merged, human, new Set(kept), "None with these filters.");
  }

  /** The chosen decision is in the list, whatever the filter. */
  #openItem() {
    const { document, strategy, other, decision } = this.state;
    if (decision < 0 || !(decision in this.text.data.chains)) return this.list.open(-1, []);
    const address = this.state.address();
    const sides = [...new Set([strategy, other, -1])];
    const found = sides.map((each) => this.decisions.all(document, each).find(({ chain }) => chain === decision));
    if (this.state.value("list") === "chains") return this.#openChain(decision);
    if (!this.#listed.some(({ chain }) => chain === decision)) {
      const own = { chain: decision, error: found[0]?.error ?? "" };
      const shown = [...this.#listed, own].sort((a, b) => a.chain - b.chain);
      this.list.drawDecisions(shown, "");
      this.#listKey = "";
    }
    if (!this.text.data.chains[decision].part) {
      const later = sides.map((each) => ({ name: this.#nameOf(each), later: this.#laterOf(decision, each) }));
      const intro = "The first part has no decisions. In later parts this chain continues with:";
      return this.list.open(decision, this.list.describeChain(decision, later, intro, address));
    }
    const told = sides.flatMap((each, at) => {
      if (!found[at]) return [];
      const evidence = each < 0 ? undefined : this.text.data.strategies[each].evidence?.[decision];
      const error = each < 0 ? "" : found[at].error;
      return [{ name: this.#nameOf(each), antecedent: found[at].made, evidence, error }];
    });
    const own = found[0] ?? found[found.length - 1];
    const wordClass = this.index.classes[this.text.data.chains[decision].class];
    this.list.open(decision, this.list.describe(own, told, wordClass, address));
  }

  #openChain(/** @type {number} */ chain) {
    const root = this.text.merged.indexOf(this.text.merged[chain]);
    const { human, chains } = this.text.data;
    const members = indexesOf(this.text.merged, this.text.merged[root]);
    const theirs = indexesOf(human, human[root]);
    const all = [
      { name: this.#nameOf(this.#shown(byId("browser-split").checked)), later: members.filter((each) => each !== root) },
      { name: GOLD, later: theirs.filter((each) => each !== root && chains[each].part >= chains[root].part) },
    ];
    const sides = all[0].name === GOLD ? all.slice(1) : all;
    const part = this.text.data.parts[chains[root].part].number;
    const intro = `It starts in part ${part} and continues with:`;
    this.list.open(root, this.list.describeChain(root, sides, intro, this.state.address()));
  }

  #laterOf(/** @type {number} */ chain, /** @type {number} */ strategy) {
    const merged = this.decisions.merged(this.state.document, strategy) ?? [];
    return indexesOf(merged, merged[chain]).filter((each) => this.text.data.chains[each].part > 0);
  }

  // Decisions

  #select(/** @type {number} */ chain, { focus }) {
    this.state.decision = chain;
    this.#changed();
    this.#show(chain, focus);
  }

  #show(/** @type {number} */ chain, /** @type {boolean} */ focus) {
    if (!(chain in this.text.data.chains)) return;
    const known = this.decisions.all(this.#drawn, this.state.strategy).find((each) => each.chain === chain);
    const antecedents = known ? [known.human, known.made].filter((chains) => chains.length) : [];
    const nearest = antecedents.map((chains) => chains[chains.length - 1]);
    for (const text of byId("browser-split").checked ? [this.beside, this.text] : [this.text]) {
      const last = nearest.map((each) => text.pieces[each][text.pieces[each].length - 1]);
      text.show(text.pieces[chain][0], last, focus && text === this.text);
    }
  }

  /** To the next (1) or previous (-1) decision; from the end of a document on into the next that has one. */
  #step(/** @type {number} */ direction) {
    const here = this.#listed.map(({ chain }) => chain);
    const { decision } = this.state;
    const [next] = direction > 0 ? here.filter((chain) => chain > decision) : [];
    const before = decision < 0 ? here : here.filter((chain) => chain < decision);
    const goal = direction > 0 ? next : before[before.length - 1];
    if (goal !== undefined) return this.#select(goal, { focus: true });
    for (let away = 1; away <= this.state.inGroup.length; away++) {
      const number = this.#documentAfter(direction * away);
      const found = this.#filtered(number);
      if (!found.length) continue;
      this.state.documents.selectedIndex = number;
      this.state.decision = -1;
      this.#update();
      return this.#select(found[direction > 0 ? 0 : found.length - 1].chain, { focus: true });
    }
  }

  // Counts

  #showStatus() {
    const position = this.#listed.findIndex(({ chain }) => chain === this.state.decision);
    const here = position < 0 ? `${this.#listed.length}` : `${position + 1} of ${this.#listed.length}`;
    const all = this.#counting ? this.state.inGroup.reduce((sum, each) => sum + this.#filtered(each).length, 0) : NaN;
    const chains = this.state.value("list") === "chains";
    const decisions = `${here} here${this.#counting ? `, ${all.toLocaleString("en")} in all` : ""}`;
    byId("browser-status").textContent = chains ? counted(this.list.length, "chain") : decisions;
    for (const button of document.querySelectorAll("[data-step]")) button.toggleAttribute("disabled", all === 0);
  }

  #showCaption(/** @type {boolean} */ split) {
    const { document, strategy, other, filter, errors, form } = this.state;
    const { id, genre, tokens, parts, chains } = this.index.documents[document];
    const facts = [genre, counted(tokens, "token"), counted(parts, "part"), counted(chains, "chain")].filter(Boolean);
    const kinds = errors.filter((box) => box.checked).map((box) => box.dataset.name);
    const asked = ["group", "pos", "distance"].map((name) => this.state.value(name)).filter(Boolean);
    const outcome = filter.other ? [`that ${this.#nameOf(other)} has ${filter.other}`] : [];
    const merges = split ? `${this.#nameOf(strategy)}, beside ${this.#nameOf(other)}` : this.#nameOf(this.#shown(split));
    const shown = [
      `merges: ${merges}`,
      `decisions of ${this.#nameOf(strategy)}: ${kinds.join(", ") || "none"}`,
      ...(filter.text ? [`with the text ${this.state.value("text").trim()}`] : []),
      ...asked,
      ...outcome,
    ];
    const printed = element("span", { class: "print-only" }, `; ${shown.join("; ")}`);
    byId("browser-caption").replaceChildren(element("b", {}, id), ` ${facts.join(", ")}`, printed);
    for (const label of byId("browser").querySelectorAll("[data-name-of]")) {
      const named = this.#nameOf(label.dataset.nameOf === "other" ? other : strategy);
      label.textContent = named;
      label.title = named;
    }
  }
}
