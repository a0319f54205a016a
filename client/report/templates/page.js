"use strict";

/** What every page of the report has, and what its parts are made with. */

/** @param {string} id @returns {any} */
function byId(id) {
  return document.getElementById(id);
}

/** @param {string} id */
function readJson(id) {
  return JSON.parse(byId(id).textContent);
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

/** A click on a mark of a plot leads to its documents, as the links of the tables do. */
function startMarks() {
  document.addEventListener("click", ({ target }) => {
    const mark = /** @type {Element} */ (target).closest("[data-to]");
    if (mark) location.hash = mark.getAttribute("data-to") ?? "";
  });
}
