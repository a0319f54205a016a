"use strict";

/** Tables that sort by their columns, and that can be copied as CSV and as LaTeX. */

/** Text that is only beside what a cell says. */
const ASIDE = "small, button > span";

/** @param {Element} cell */
function cellText(cell) {
  const copy = /** @type {Element} */ (cell.cloneNode(true));
  for (const aside of copy.querySelectorAll(ASIDE)) aside.remove();
  return (copy.textContent ?? "").replace(/\s+/g, " ").trim();
}

const NUMBER = /^[+\-−]?\d[\d,]*\.?\d*/;

/** A number that a cell begins with, or its text; what has none comes last. @param {Element} cell */
function sortKey(cell) {
  const text = cellText(cell);
  const [number] = NUMBER.exec(text) ?? [];
  return number === undefined ? { number: NaN, text } : { number: Number(number.replace(/,/g, "").replace("−", "-")), text };
}

/** @param {HTMLTableSectionElement} body @param {number} column @param {number} direction 0: as it was */
function sortBody(body, column, direction) {
  const rows = [...body.rows].map((row, at) => {
    row.dataset.order ??= String(at);
    return { row, order: Number(row.dataset.order), key: row.cells[column] ? sortKey(row.cells[column]) : null };
  });
  rows.sort((a, b) => {
    if (!direction || !a.key || !b.key) return a.order - b.order;
    const [one, other] = [a.key.number, b.key.number];
    if (Number.isNaN(one) && Number.isNaN(other)) {
      const [left, right] = [a.key.text, b.key.text];
      if ((left === "-") !== (right === "-")) return left === "-" ? 1 : -1;
      return direction * left.localeCompare(right) || a.order - b.order;
    }
    if (Number.isNaN(one) || Number.isNaN(other)) return Number.isNaN(one) ? 1 : -1;
    return direction * (one - other) || a.order - b.order;
  });
  body.append(...rows.map(({ row }) => row));
}

/** The largest first, then the smallest, then as it was; of names the first of the alphabet first. */
function makeSortable(/** @type {HTMLTableElement} */ table) {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  heads.forEach((head, column) => {
    if (!head.textContent?.trim() || head.localName !== "th") return;
    const button = element("button", { type: "button", class: "sort" }, ...head.childNodes);
    head.append(button);
    const turns = column ? ["descending", "ascending", "none"] : ["ascending", "descending", "none"];
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort") ?? "none";
      const next = turns[(turns.indexOf(now) + 1) % turns.length];
      for (const each of heads) each.removeAttribute("aria-sort");
      if (next !== "none") head.setAttribute("aria-sort", next);
      const direction = { ascending: 1, descending: -1, none: 0 }[next];
      for (const body of table.tBodies) if (!body.classList.contains("paper")) sortBody(body, column, direction);
    });
  });
}

/** Head and rows as they are shown now. @param {HTMLTableElement} table */
function tableRows(table) {
  const head = [...(table.tHead?.rows ?? [])].map((row) => [...row.cells].map(headText));
  const bodies = [...table.tBodies].map((body) => [...body.rows].map((row) => [...row.cells].map(cellText)));
  return { head, bodies };
}

/** The full name of a column, where it has one. @param {HTMLTableCellElement} cell */
function headText(cell) {
  return cell.dataset.name ?? cellText(cell);
}

/** RFC 4180, with line feeds. @param {HTMLTableElement} table */
function asCsv(table) {
  const { head, bodies } = tableRows(table);
  const field = (/** @type {string} */ text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  return [...head, ...bodies.flat()].map((row) => `${row.map(field).join(",")}\n`).join("");
}

const LATEX = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "³": "\\textsuperscript{3}",
  "±": "$\\pm$",
  "−": "$-$",
  "α": "$\\alpha$",
};

/** @param {string} text */
function latexText(text) {
  return text.replace(/[\\~^³±−α]|[&%$#_{}]/g, (sign) => LATEX[sign] ?? `\\${sign}`).replace(/^-(?=\d)/, "$-$");
}

/** A table for the package booktabs. @param {HTMLTableElement} table */
function asLatex(table) {
  const { head, bodies } = tableRows(table);
  const line = (/** @type {string[]} */ row) => `${row.map(latexText).join(" & ")} \\\\`;
  const columns = Math.max(...head.map((row) => row.length));
  return [
    "% \\usepackage{booktabs}",
    "\\begin{table}",
    "\\centering",
    `\\caption{${latexText((table.caption?.textContent ?? "").trim())}}`,
    `\\begin{tabular}{l${"r".repeat(columns - 1)}}`,
    "\\toprule",
    ...head.map(line),
    ...bodies.flatMap((rows) => ["\\midrule", ...rows.map(line)]),
    "\\bottomrule",
    "\\end{tabular}",
    "\\end{table}",
    "",
  ].join("\n");
}

/** To the clipboard; where the browser has none for this page, by way of a selected text. @param {string} text */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = /** @type {HTMLTextAreaElement} */ (element("textarea", { class: "off-screen" }));
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

/** @param {string} label @param {string} what for those who do not see where it is @param {() => string} text */
function copyButton(label, what, text) {
  const button = element("button", { type: "button", class: "copy", "aria-label": `Copy ${what}` }, label);
  button.addEventListener("click", async () => {
    const done = await copyText(text());
    byId("copied").textContent = done ? `Copied ${what}.` : "This browser does not let a page copy.";
    button.textContent = done ? "Copied" : "Not copied";
    setTimeout(() => (button.textContent = label), 1500);
  });
  return button;
}

function startTables() {
  for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll("main table"))) {
    makeSortable(table);
    const name = `the table “${table.caption?.textContent?.trim()}”`;
    const tools = [
      copyButton("CSV", `${name} as CSV`, () => asCsv(table)),
      copyButton("LaTeX", `${name} as LaTeX`, () => asLatex(table)),
    ];
    table.closest(".table")?.prepend(element("div", { class: "table-tools" }, "Copy ", ...tools));
  }
}

/** A button for each text that is there to be copied. */
function startCopying() {
  for (const box of document.querySelectorAll("[data-copy]")) {
    const button = copyButton("Copy", box.getAttribute("data-copy") ?? "", () => box.textContent ?? "");
    box.closest(".copied-from")?.prepend(button);
  }
}
