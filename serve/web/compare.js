// The last results of rao compare.

import { $, ask, el, table } from "./common.js";

const percent = (v) => v == null ? "–" : (100 * v).toFixed(2) + " %";
const fixed = (v, n) => v == null ? "–" : v.toFixed(n);

export async function showResults() {
  const { results, problems } = await (await ask("/v1/results")).json();
  const parts = results.map(one);
  if (!parts.length) {
    parts.push(el("p", { class: "empty" }, "There are no results. Write some with "), el("pre", { tabindex: 0 }, "rao compare --data A --test B --methods pca,lda,sqfa --json > results/a.json\nrao serve --model models/ --results results/"));
  }
  for (const p of problems) parts.push(el("p", {}, "Left out: " + p));
  $("results").replaceChildren(...parts);
}

// one shows a comparison, the best method first.
function one(r) {
  const rows = [...r.rows].sort((a, b) => (b.accuracy ?? -1) - (a.accuracy ?? -1));
  const groups = Boolean(r.groups);
  const lines = rows.map((m) => m.error ? [m.method, "failed: " + m.error] : groups ? [m.method, m.align, percent(m.accuracy), percent(m.accuracy_sd), fixed(m.kappa, 3), fixed(m.seconds, 2)]
    : [m.method, percent(m.accuracy), fixed(m.kappa, 3), percent(m.knn_accuracy), fixed(m.fit_seconds, 3), (m.peak_bytes / 2 ** 20).toFixed(0)]);
  const head = groups ? ["method", "aligned", "accuracy", "standard deviation", "kappa", "seconds"] : ["method", "accuracy", "kappa", "kNN", "fit, s", "memory, MiB"];
  const words = groups ? `${r.train}, one ${r.groups} left out at a time` : `${r.train} to learn from, ${r.test} to test`;
  return el("article", { class: "card" }, el("h3", {}, r.name), el("p", {}, `${words}; ${new Date(r.date).toLocaleString()}`),
    ...rows.filter((m) => m.accuracy != null).map((m) => el("div", { class: "bar" }, el("span", { title: m.method }, m.method + (m.align && m.align !== "none" ? " " + m.align : "")),
      el("meter", { min: 0, max: 1, value: m.accuracy, "aria-label": `accuracy of ${m.method}` }), el("span", { class: "number" }, percent(m.accuracy)))),
    table("Accuracy on the test data", head, lines));
}
