// Live decisions: a recording that is replayed, or a stream that somebody else pushes.

import { $, ask, cards, color, el, fail, token, trouble } from "./common.js";

let live = null; // what is watched: classes, decisions of late, and how to end it

// loadSources lists what can be watched.
export async function loadSources() {
  const [replays, streams, signals] = await Promise.all(["replays", "streams", "signals"].map((what) => ask("/v1/" + what).then((r) => r.json())));
  const chosen = $("source").value;
  const options = [el("option", { value: "file" }, "a local file"),
    ...replays.map((name, k) => el("option", { value: "replay:" + k }, `recording ${name}`)),
    ...signals.map((s) => el("option", { value: "signal:" + s.query }, `signal ${s.name}: ${s.channels} channels, ${s.rate} Hz, from ${s.host}`)),
    ...streams.map((s) => el("option", { value: "stream:" + s.id }, `pushed stream ${s.id.slice(0, 8)} of ${s.model}`))];
  $("source").replaceChildren(...options);
  if (options.some((o) => o.value === chosen)) $("source").value = chosen;
  chooseSource();
}

function chooseSource() {
  const [kind] = $("source").value.split(":");
  $("replay-file").hidden = kind !== "file";
  $("replay-options").hidden = kind === "stream";
  $("rate-label").hidden = kind === "signal";
}

async function start(event) {
  event.preventDefault();
  trouble("");
  await stop();
  const [kind] = $("source").value.split(":");
  const which = $("source").value.slice(kind.length + 1);
  try {
    if (kind === "stream") await listen(which);
    else if (kind === "signal") await decodeSignal(which);
    else await replay(kind === "file" ? $("replay").files[0] : await offered(which));
  } catch (e) {
    fail(e);
  }
}

async function offered(k) {
  const text = await (await ask("/v1/replays/" + k)).text();
  return { name: $("source").selectedOptions[0].textContent, text: async () => text };
}

// samplesOf reads text: a row a moment. Words of a first line are the names of the channels.
async function samplesOf(file) {
  if (!file) throw new Error("Choose a file of samples to replay.");
  if (file.name.endsWith(".npy")) throw new Error("Replay takes text; save the samples as CSV, a row a moment.");
  const rows = (await file.text()).split("\n").map((l) => l.trim()).filter((l) => l && !/^[a-z#"]/i.test(l)).map((l) => l.split(/[,;\t ]+/).map(Number));
  if (!rows.length || rows.some((r) => r.length !== rows[0].length || r.some(Number.isNaN))) throw new Error(`${file.name}: every row needs the same number of values.`);
  return rows;
}

// replay opens a stream and sends the samples over a WebSocket, ten times a second.
async function replay(file) {
  const rows = await samplesOf(file);
  const name = $("live-model").value, c = cards.get(name);
  const signal = c.recipe && c.recipe.signal;
  const rate = Number($("rate").value);
  const q = { model: name };
  if (signal) Object.assign(q, { rate, step: Number($("step").value) });
  const opened = await (await ask("/v1/streams", { method: "POST", body: JSON.stringify(q) })).json();
  if (opened.width !== rows[0].length) {
    await ask("/v1/streams/" + opened.id, { method: "DELETE" });
    throw new Error(`${file.name} has ${rows[0].length} values per row; the model needs ${opened.width}.`);
  }
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/v1/streams/${opened.id}/ws?type=f64`;
  const socket = new WebSocket(address, token() ? ["rao", "bearer." + base64(token())] : ["rao"]);
  watch(opened.classes, `Stream ${opened.id.slice(0, 8)} of ${opened.model}: ${rows.length} samples at ${rate} per second.`, async () => {
    socket.close();
    await ask("/v1/streams/" + opened.id, { method: "DELETE" }).catch(() => {});
  });
  const mine = live;
  socket.onmessage = (m) => {
    const e = JSON.parse(m.data);
    if (e.event === "decision") show(e);
    if (e.event === "dropped") trouble(`${e.dropped} decisions were dropped: this page is too slow.`);
    if (e.event === "error") trouble(e.error);
  };
  socket.onclose = () => { if (live === mine) stop(); };
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("The WebSocket could not be opened; a proxy in between may not let it through."));
  });
  const step = Math.max(1, Math.round(rate / 10));
  const begin = performance.now();
  for (let at = 0; at < rows.length && live === mine && socket.readyState === WebSocket.OPEN; at += step) {
    const part = rows.slice(at, at + step);
    trace(part);
    socket.send(new Float64Array(part.flat()).buffer);
    await new Promise((r) => setTimeout(r, Math.max(0, begin + 1000 * (at + part.length) / rate - performance.now())));
  }
  if (live === mine) $("stream-state").textContent += " The replay is over.";
}

function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// decodeSignal has the server decode a signal that it takes by itself, and listens.
async function decodeSignal(signal) {
  const name = $("live-model").value, c = cards.get(name), q = { model: name, signal };
  if (c.recipe && c.recipe.signal) q.step = Number($("step").value);
  const opened = await (await ask("/v1/streams", { method: "POST", body: JSON.stringify(q) })).json();
  await listen(opened.id, () => ask("/v1/streams/" + opened.id, { method: "DELETE" }).catch(() => {}));
}

// listen follows a stream that others feed; fetch is used because EventSource sends no token.
async function listen(id, after = () => {}) {
  const abort = new AbortController();
  const response = await ask(`/v1/streams/${id}/decisions`, { signal: abort.signal });
  const of = (await (await ask("/v1/streams")).json()).find((s) => s.id === id);
  const model = of && cards.get(of.model);
  watch(model ? model.classes : [], `Listening to stream ${id.slice(0, 8)}.`, async () => { abort.abort(); await after(); });
  const mine = live;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ done: true }));
    if (done) break;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const e of events) {
      const data = e.split("\n").find((l) => l.startsWith("data: "));
      if (data && e.includes("event: decision")) show(JSON.parse(data.slice(6)));
      if (data && e.includes("event: dropped")) trouble(`${JSON.parse(data.slice(6)).dropped} decisions were dropped: this page is too slow.`);
    }
  }
  if (live === mine) await stop("The stream has ended.");
}

function watch(classes, words, end) {
  live = { classes, end, latencies: [], posteriors: [] };
  samples = [];
  for (const id of ["traces", "strip"]) $(id).getContext("2d").clearRect(0, 0, 900, 400);
  $("decisions").tBodies[0].replaceChildren();
  $("classes").replaceChildren(...classes.map((c, i) => el("span", {}, el("i"), c)));
  [...$("classes").children].forEach((s, i) => { s.firstChild.style.background = color(i); });
  $("latency").textContent = "No decision yet.";
  $("stop").disabled = false;
  $("stream-state").textContent = words;
}

async function stop(words = "The stream is closed.") {
  if (!live) return;
  const { end } = live;
  live = null;
  $("stop").disabled = true;
  $("stream-state").textContent = words;
  await end();
}

function show(d) {
  if (!live) return;
  const body = $("decisions").tBodies[0];
  body.prepend(el("tr", {}, el("td", { class: "number" }, String(d.at)), el("td", {}, d.label), el("td", { class: "number" }, d.probability.toFixed(3)),
    el("td", { class: "number" }, d.latency_ms.toFixed(2)), el("td", {}, [d.rejected && "rejected", d.outlier && "outlier"].filter(Boolean).join(", "))));
  while (body.rows.length > 50) body.deleteRow(-1);
  live.latencies = [...live.latencies, d.latency_ms].slice(-500);
  const sorted = [...live.latencies].sort((a, b) => a - b), at = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))].toFixed(2);
  $("latency").textContent = `Latency of the last ${sorted.length} decisions: median ${at(0.5)} ms, 99 % within ${at(0.99)} ms.`;
  live.posteriors = [...live.posteriors, d].slice(-150);
  strip(live.posteriors);
}

// strip draws the posterior of each decision of late as a column of its classes' colors; a
// gray line on top marks the rejected ones.
function strip(decisions) {
  const c = $("strip").getContext("2d"), { width, height } = $("strip"), wide = width / 150;
  c.clearRect(0, 0, width, height);
  decisions.forEach((d, k) => {
    let y = height;
    d.posterior.forEach((p, i) => {
      c.fillStyle = color(i);
      c.fillRect(k * wide, y - p * height, wide - 1, p * height);
      y -= p * height;
    });
    if (d.rejected) { c.fillStyle = "#444"; c.fillRect(k * wide, 0, wide - 1, 6); }
  });
}

let samples = []; // those on the screen

function trace(rows) {
  samples = samples.concat(rows).slice(-900);
  const c = $("traces").getContext("2d"), { width, height } = $("traces");
  c.clearRect(0, 0, width, height);
  const channels = Math.min(samples[0].length, 16);
  for (let k = 0; k < channels; k++) {
    const values = samples.map((r) => r[k]), low = Math.min(...values), high = Math.max(...values);
    c.strokeStyle = color(k);
    c.beginPath();
    values.forEach((v, i) => c.lineTo(i * width / 900, (k + 1 - (v - low) / (high - low || 1)) * height / channels));
    c.stroke();
  }
}

// the rate of the recipe is that of the samples, until somebody says otherwise
export function showLiveModel() {
  const c = cards.get($("live-model").value);
  const signal = c && c.recipe && c.recipe.signal;
  if (signal && signal.rate) $("rate").value = signal.rate;
  $("step-label").hidden = !signal;
}

$("source").addEventListener("change", chooseSource);
$("live-model").addEventListener("change", showLiveModel);
$("stream").addEventListener("submit", start);
$("stop").addEventListener("click", () => stop());
