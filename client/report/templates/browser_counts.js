"use strict";

/** How many decisions there are beside each control of the document browser. Types are those of decisions.js. */

const NOUNS = 12;

class Counts {
  #nounsOf = "";

  /** @param {BrowserForm} state @param {Decisions} decisions */
  constructor(state, decisions) {
    this.state = state;
    this.decisions = decisions;
  }

  show() {
    const { strategy, other, filter, inGroup, documents, errors } = this.state;
    /** @type {Map<string, number>} */
    const total = new Map();
    for (const number of inGroup) {
      const counts = this.decisions.countByError(number, strategy, other, filter);
      for (const [error, count] of counts) total.set(error, (total.get(error) ?? 0) + count);
      const shown = [...filter.errors].reduce((sum, error) => sum + (counts.get(error) ?? 0), 0);
      const failed = !this.decisions.merged(number, strategy);
      const option = documents.options[number];
      option.text = `${option.value} (${failed ? "failed" : shown})`;
    }
    for (const box of errors) {
      const count = /** @type {HTMLElement} */ (box.closest("label")?.querySelector(".count"));
      count.textContent = (total.get(box.value) ?? 0).toLocaleString("en");
    }
    const asked = JSON.stringify([strategy, other, inGroup, { ...filter, text: "", errors: [...filter.errors] }]);
    if (asked !== this.#nounsOf) this.#drawNouns();
    this.#nounsOf = asked;
    for (const button of byId("browser-nouns").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.noun.toLowerCase() === filter.text));
    }
  }

  /** The nouns that most listed decisions have, each with how many the filter would let through. */
  #drawNouns() {
    const filter = { ...this.state.filter, text: "" };
    const { strategy, other, inGroup } = this.state;
    /** @type {Map<string, {noun: string, count: number}>} as first written */
    const nouns = new Map();
    /** @type {string[]} */
    const texts = [];
    for (const number of inGroup) {
      for (const { chain } of this.decisions.filtered(number, strategy, other, filter)) {
        texts.push(this.decisions.textOf(number, strategy, chain));
        for (const noun of new Set(this.decisions.data(number).chains[chain].nouns.map((each) => each.trim()))) {
          const term = noun.toLowerCase();
          const known = nouns.get(term) ?? { noun, count: 0 };
          nouns.set(term, { noun: known.noun, count: known.count + 1 });
        }
      }
    }
    const order = (a, b) => b.count - a.count || (a.noun < b.noun ? -1 : 1);
    const most = [...nouns.values()].sort(order).slice(0, NOUNS);
    const counts = most.map(({ noun }) => {
      const term = noun.toLowerCase();
      return { noun, count: texts.filter((text) => text.includes(term)).length };
    });
    const buttons = counts.sort(order).map(({ noun, count }) => {
      const told = [element("bdi", { lang: "" }, noun), " ", element("span", { class: "count" }, `${count}`)];
      return element("button", { type: "button", "data-noun": noun }, ...told);
    });
    byId("browser-nouns").replaceChildren(byId("browser-nouns-title"), ...buttons);
    byId("browser-nouns").hidden = !buttons.length;
  }
}
