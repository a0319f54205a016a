"use strict";

/**
 * The controls of the document browser: they are its only state, and location.hash is that state written out. Types are
 * those of decisions.js.
 */

const FIELDS = ["document", "group", "strategy", "other", "text", "pos", "distance", "outcome", "decision"];
const KINDS = { genre: "Genre", length: "Length", length_bins: "Length, in bins", chains: "Chains", parts: "Parts" };

class BrowserForm {
  /** @param {Index} index */
  constructor(index) {
    /** @type {HTMLFormElement} */
    this.form = byId("browser-controls");
    this.index = index;
    const option = (/** @type {string} */ name, value = name) => element("option", { value }, name);
    /** @type {HTMLSelectElement} */
    this.documents = byId("browser-document");
    this.documents.append(...index.documents.map(({ id }) => option(id)));
    /** @type {HTMLSelectElement} */
    this.strategies = byId("browser-strategy");
    this.strategies.append(...index.strategies.map((name) => option(name)));
    /** @type {HTMLSelectElement} */
    this.others = byId("browser-other");
    this.others.append(option(GOLD, ""), ...index.strategies.map((name) => option(name)));
    const groups = Object.entries(index.groups).map(([kind, names]) =>
      element("optgroup", { label: KINDS[kind] ?? kind }, ...names.map((name) => option(name, `${kind}:${name}`))),
    );
    byId("browser-group").append(option("all documents", ""), ...groups);
    byId("browser-group").closest(".field").hidden = !groups.length;
    byId("browser-pos").append(option("any", ""), ...index.classes.map((name) => option(name)));
    byId("browser-distance").append(option("any", ""), ...index.distances.map(([name]) => option(name)));
    /** @type {HTMLInputElement[]} */
    this.errors = Array.from(this.form.querySelectorAll("input[name=error]"));
  }

  /** @param {string} name @returns {string} */
  value(name) {
    return /** @type {any} */ (this.form.elements.namedItem(name)).value;
  }

  /** An option that is not there leaves the field as it is. @param {string} name @param {string} value */
  set(name, value) {
    const field = /** @type {any} */ (this.form.elements.namedItem(name));
    if (field instanceof HTMLSelectElement && ![...field.options].some((each) => each.value === value)) return;
    field.value = value;
  }

  get document() {
    return this.documents.selectedIndex;
  }

  get strategy() {
    return this.strategies.selectedIndex;
  }

  /** The strategy to compare with, -1 for the gold merges. */
  get other() {
    return this.others.selectedIndex - 1;
  }

  /** The merges in view: "people" (the gold ones), "strategy" or "other". */
  get view() {
    return this.value("view");
  }

  /** The part chain decided on, -1 for none. Addresses count from 1, as the text does. */
  get decision() {
    return Number(this.value("decision") || 0) - 1;
  }

  set decision(chain) {
    this.set("decision", chain < 0 ? "" : String(chain + 1));
  }

  /** @returns {Filter} */
  get filter() {
    return {
      errors: new Set(this.errors.filter((box) => box.checked).map((box) => box.value)),
      text: this.value("text").trim().toLowerCase(),
      wordClass: this.index.classes.indexOf(this.value("pos")),
      distance: this.index.distances.findIndex(([name]) => name === this.value("distance")),
      other: this.other < 0 ? "" : this.value("outcome"),
    };
  }

  /** The documents of the group. @returns {number[]} */
  get inGroup() {
    const [kind, ...name] = this.value("group").split(":");
    const all = [...this.index.documents.keys()];
    return kind ? all.filter((each) => this.index.documents[each].groups[kind] === name.join(":")) : all;
  }

  /** The state at the start: the best strategy beside the gold merges, every error. */
  reset() {
    this.form.reset();
    this.strategies.selectedIndex = this.index.best;
    this.decision = -1;
  }

  /** Takes the state from the address. Tells whether the address is one of this browser. */
  readHash() {
    const fields = new URLSearchParams(location.hash.slice(1));
    if (!FIELDS.some((name) => fields.has(name))) return false;
    this.reset();
    for (const name of FIELDS) if (fields.has(name)) this.set(name, fields.get(name) ?? "");
    const view = fields.get("view");
    this.set("view", view === "people" || view === "other" ? view : "strategy");
    this.set("list", fields.get("list") === "chains" ? "chains" : "decisions");
    byId("browser-split").checked = fields.has("split");
    if (fields.has("error")) for (const box of this.errors) box.checked = fields.getAll("error").includes(box.value);
    return true;
  }

  /** The address of this state with other values for some fields. @param {Record<string, string>} others */
  address(others = {}) {
    const fields = new URLSearchParams();
    for (const [name, value] of new FormData(this.form)) {
      if (!(name in others) && value !== "") fields.append(name, String(value));
    }
    for (const [name, value] of Object.entries(others)) if (value) fields.append(name, value);
    // None at all is something else than what is not said.
    if (!fields.has("error")) fields.append("error", "none");
    return `#${fields}`;
  }
}
