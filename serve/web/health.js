// How the server does, from what Prometheus reads.

import { $, ask, el, table } from "./common.js";

let before = null; // the counts of the last look

// parse reads the text format: name, labels, value.
function parse(text) {
  const out = [];
  for (const line of text.split("\n")) {
    const m = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!m) continue;
    const labels = {};
    for (const [, k, v] of (m[2] || "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) labels[k] = v;
    out.push({ name: m[1], labels, value: Number(m[3]) });
  }
  return out;
}

// quantile reads one off the buckets of a histogram, linear within a bucket.
function quantile(all, name, label, key, q) {
  const sums = new Map(); // several series have the label, such as one per model
  for (const m of all.filter((m) => m.name === name + "_bucket" && m.labels[label] === key)) {
    const le = m.labels.le === "+Inf" ? Infinity : Number(m.labels.le);
    sums.set(le, (sums.get(le) || 0) + m.value);
  }
  const buckets = [...sums].sort((a, b) => a[0] - b[0]);
  if (!buckets.length || !buckets.at(-1)[1]) return null;
  const want = q * buckets.at(-1)[1];
  let low = 0, under = 0;
  for (const [le, count] of buckets) {
    if (count >= want) return le === Infinity ? low : low + (le - low) * (want - under) / (count - under || 1);
    [low, under] = [le, count];
  }
  return low;
}

const ms = (s) => s == null ? "–" : (1000 * s).toFixed(2);
const sum = (all, name, where = () => true) => all.filter((m) => m.name === name && where(m.labels)).reduce((a, m) => a + m.value, 0);

function tile(title, value, words) {
  return el("div", { class: "tile" }, el("p", { class: "big" }, value), el("h3", {}, title), el("p", {}, words));
}

export async function showHealth() {
  const all = parse(await (await ask("/metrics")).text());
  const now = { at: performance.now(), requests: sum(all, "rao_requests_total"), decisions: sum(all, "rao_stream_decisions_total") };
  const rate = (k) => before ? ((now[k] - before[k]) / (now.at - before.at) * 1000).toFixed(1) : "–";
  const failed = sum(all, "rao_requests_total", (l) => l.code >= "500");
  const tiles = [tile("requests per second", rate("requests"), `${now.requests} in all, ${failed} of them failed here`),
    tile("stream decisions per second", rate("decisions"), `${now.decisions} in all, ${sum(all, "rao_streams")} streams open, ${sum(all, "rao_stream_gap_total")} decisions missed by listeners`),
    tile("memory, MiB", (sum(all, "go_memstats_heap_inuse_bytes") / 2 ** 20).toFixed(0), `${sum(all, "go_goroutines")} goroutines`)];
  const models = [...new Set(all.filter((m) => m.name === "rao_model_loaded").map((m) => m.labels.model))];
  const of = (name) => (l) => l.model === name;
  const rows = models.map((name) => {
    const score = (of) => all.find((m) => m.name === of && m.labels.model === name)?.value.toFixed(3) ?? "–";
    return [name, sum(all, "rao_rows_total", of(name)), sum(all, "rao_rejected_total", of(name)), sum(all, "rao_outliers_total", of(name)), ms(quantile(all, "rao_stream_latency_seconds", "model", name, 0.99)),
      score("rao_drift"), score("rao_shift_largest")];
  });
  const shifts = [];
  for (const name of models.filter((n) => all.some((m) => m.name === "rao_shift_largest" && m.labels.model === n))) {
    const { values } = await (await ask(`/v1/models/${encodeURIComponent(name)}/drift`)).json();
    for (const v of values.slice(0, 5)) shifts.push([name, v.name, v.shift.toFixed(2), v.spread.toFixed(2), (100 * v.missing).toFixed(1) + " %"]);
  }
  const endpoints = [...new Set(all.filter((m) => m.name === "rao_request_seconds_count").map((m) => m.labels.endpoint))];
  const times = endpoints.map((e) => [e, sum(all, "rao_requests_total", (l) => l.endpoint === e), ms(quantile(all, "rao_request_seconds", "endpoint", e, 0.5)), ms(quantile(all, "rao_request_seconds", "endpoint", e, 0.99))]);
  $("counts").replaceChildren(el("div", { class: "tiles" }, ...tiles),
    table("Models. Drift is the distance of the recent label proportions from those of the training data: 0 is none, 1 is the maximum. It is shown after 100 decisions", ["model", "observations", "rejected", "outliers", "99 % of stream decisions within, ms", "label drift", "largest shift"], rows),
    shifts.length ? table("Recent values compared with the training data. A shift is the change of the mean, in standard deviations of the training data; the spread is a ratio of standard deviations", ["model", "column or channel", "shift", "spread", "missing"], shifts) : "",
    table("Requests", ["endpoint", "requests", "half within, ms", "99 % within, ms"], times),
    el("p", {}, "Prometheus reads these counts under /metrics."));
  before = now;
}
