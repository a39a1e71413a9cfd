// The page of rao serve: what the models are, a place to try them, live decisions, counts.

const $ = (id) => document.getElementById(id);

// el makes an element; text never becomes markup.
function el(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

function trouble(text) {
  $("trouble").textContent = text;
  $("trouble").hidden = !text;
}

// ask sends a request and returns the response, or throws the server's own words.
async function ask(path, options = {}) {
  const headers = { ...options.headers };
  if ($("token").value) headers.Authorization = "Bearer " + $("token").value;
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch {
    throw new Error("The server does not answer. Is rao serve still running?");
  }
  if (!response.ok) {
    const body = await response.text();
    let words = body;
    try { words = JSON.parse(body).error; } catch { /* not ours */ }
    throw new Error(words || response.statusText);
  }
  return response;
}

const cards = new Map();

async function loadModels() {
  const list = await (await ask("/v2/repository/index", { method: "POST" })).json();
  cards.clear();
  for (const m of list) cards.set(m.name, await (await ask(`/v1/models/${encodeURIComponent(m.name)}/card`)).json());
  $("cards").replaceChildren(...[...cards.values()].map(cardOf));
  if (!cards.size) $("cards").append(el("p", {}, "There are no models. Put one into the folder that rao serve looks at."));
  for (const select of [$("model"), $("live-model")]) {
    const chosen = select.value;
    select.replaceChildren(...[...cards.keys()].map((name) => el("option", { value: name }, name)));
    if (cards.has(chosen)) select.value = chosen;
  }
  showModel();
}

function cardOf(c) {
  const facts = [
    ["method", c.method + Object.entries(c.options).map(([k, v]) => `, ${k} ${v}`).join("")],
    ["input", c.kind === "matrices" ? `matrices of order ${c.dim}` : c.image ? `images of ${c.image.join("×")}` : `${c.dim} values`],
    ["classes", c.classes.join(", ")],
    ["stages", c.stages.map((s) => s.kind).join(", ") || "none"],
    ["classifier", c.classifier ? c.classifier.kind : "none"],
    ["trained on", c.counts ? `${c.counts.reduce((a, b) => a + b, 0)} observations` : "not known"],
    ["version", c.version],
    ["date", new Date(c.date).toLocaleString()],
    ["training digest", (c.training_digest || "not known").slice(0, 16)],
  ];
  if (c.columns) facts.push(["columns", c.columns.slice(0, 30).join(", ")]);
  if (c.channels) facts.push(["channels", c.channels.slice(0, 40).join(", ")]);
  for (const n of c.notes || []) facts.push(["note", n]);
  const card = el("article", { class: "card" }, el("h3", {}, c.name),
    el("dl", {}, ...facts.flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, v)])));
  for (const p of c.pictures || []) {
    const src = URL.createObjectURL(new Blob([p.svg], { type: "image/svg+xml" }));
    card.append(el("figure", {}, el("img", { src, alt: p.alt || p.title })));
  }
  return card;
}

// ---- try it

let image = null; // what the pad was drawn on: rows and columns

function showModel() {
  const c = cards.get($("model").value);
  image = c && c.image && c.image[2] === 1 ? c.image : null;
  $("pad").hidden = !image;
  if (c) $("rows").placeholder = `${c.kind === "matrices" ? c.dim * c.dim : c.dim} numbers a row, with commas between them`;
}

const pad = $("canvas").getContext("2d");

function clearPad() {
  pad.fillStyle = "#000";
  pad.fillRect(0, 0, 240, 240);
}

function draw(event) {
  if (!(event.buttons & 1)) return;
  const box = $("canvas").getBoundingClientRect();
  const scale = 240 / box.width;
  pad.fillStyle = "#fff";
  pad.beginPath();
  pad.arc((event.clientX - box.left) * scale, (event.clientY - box.top) * scale, 13, 0, 2 * Math.PI);
  pad.fill();
}

// drawn averages the pad down to the model's size. Values go from 0 to the largest that the
// training had, as far as it is known: 16 for the 8×8 digits, 255 otherwise.
function drawn() {
  const [rows, cols] = image;
  const top = rows === 8 && cols === 8 ? 16 : 255;
  const pixels = pad.getImageData(0, 0, 240, 240).data;
  const out = [];
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      let sum = 0, n = 0;
      for (let y = Math.floor(i * 240 / rows); y < (i + 1) * 240 / rows; y++) {
        for (let x = Math.floor(j * 240 / cols); x < (j + 1) * 240 / cols; x++) { sum += pixels[4 * (y * 240 + x)]; n++; }
      }
      out.push(Math.round(top * sum / n / 255));
    }
  }
  return out;
}

const kinds = { csv: "text/csv", tsv: "text/csv", txt: "text/csv", npy: "application/x-npy", json: "application/json", png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg" };

async function decide(body, type, name) {
  trouble("");
  const model = $("model").value;
  const path = `/v1/models/${encodeURIComponent(model)}`;
  const options = { method: "POST", body, headers: { "Content-Type": type } };
  try {
    const result = await (await ask(path + "/predict", options)).json();
    $("answer").replaceChildren(...result.predictions.slice(0, 20).map(answerOf));
    if (result.predictions.length > 20) $("answer").append(el("p", {}, `and ${result.predictions.length - 20} more`));
    for (const n of result.notes || []) $("answer").append(el("p", {}, n));
    await why(path, options);
    $("answer").append(...sameCall(path, type, name, body));
  } catch (e) {
    trouble(e.message);
  }
}

function answerOf(p) {
  const most = Object.entries(p.probability).sort((a, b) => b[1] - a[1]).slice(0, 10);
  const marks = [p.rejected && "rejected", p.outlier && "outlier"].filter(Boolean).join(", ");
  return el("div", { class: "card" }, el("h3", {}, p.label + (marks ? ` (${marks})` : "")), ...most.map(([name, v]) =>
    el("div", { class: "bar" }, el("span", { title: name }, name), el("meter", { min: 0, max: 1, value: v, "aria-label": `probability of ${name}` }),
      el("span", { class: "number" }, (100 * v).toFixed(1) + " %"))));
}

// why asks for the explanation of the first observation, where there is one.
async function why(path, options) {
  let items;
  try {
    items = (await (await ask(path + "/explain", options)).json()).items;
  } catch (e) {
    $("answer").append(el("p", {}, e.message));
    return;
  }
  const x = items[0];
  const box = el("div", { class: "card" }, el("h3", {}, `Why ${x.label} rather than ${x.runner_up}`), el("p", {}, `log-odds ${x.log_odds.toFixed(2)}`));
  if (x.terms) {
    const parts = [["constant", x.constant], ...x.terms.map((t) => [`filter ${t.filter + 1}`, t.log_odds]),
      ["pairs of filters", (x.pairs || []).reduce((a, p) => a + p.log_odds, 0)]];
    const rows = parts.map(([name, v]) => el("tr", {}, el("td", {}, name), el("td", { class: "number" }, v.toFixed(2))));
    box.append(el("div", { class: "scroll" }, el("table", {}, el("caption", {}, "The terms add up to the log-odds"), el("tbody", {}, ...rows))));
  }
  if (x.input && x.input.gradient && x.input.shape.length === 2) box.append(heat(x.input));
  for (const p of x.prototypes || []) {
    box.append(el("p", {}, `distance ${p.distance.toFixed(3)} to ${p.class}; largest log-ratios ${p.log_ratios.slice(0, 5).map((v) => v.toFixed(2)).join(", ")}`));
  }
  $("answer").append(box);
}

// heat draws the derivative of the log-odds: red where more helps the label, blue where less.
function heat(input) {
  const [rows, cols] = input.shape;
  const canvas = el("canvas", { class: "heat", width: cols, height: rows, role: "img", "aria-label": "How the log-odds change with each pixel: red helps the label, blue the runner-up" });
  const top = Math.max(...input.gradient.map(Math.abs)) || 1;
  const c = canvas.getContext("2d");
  const picture = c.createImageData(cols, rows);
  input.gradient.forEach((v, i) => {
    const s = 255 * (1 - Math.abs(v) / top);
    picture.data.set(v > 0 ? [200 + s * 0.2, s, s, 255] : [s, s, 200 + s * 0.2, 255], 4 * i);
  });
  c.putImageData(picture, 0, 0);
  return canvas;
}

// sameCall is the request as others would write it.
function sameCall(path, type, name, body) {
  const url = location.origin + path + "/predict";
  const data = name ? `--data-binary @'${name}'` : `--data '${String(body).slice(0, 400)}'`;
  const curl = `curl -s '${url}' -H 'Content-Type: ${type}' ${data}`;
  const python = `import urllib.request\nbody = ${name ? `open(${JSON.stringify(name)}, "rb").read()` : JSON.stringify(String(body).slice(0, 400)) + ".encode()"}\n` +
    `request = urllib.request.Request(${JSON.stringify(url)}, body, {"Content-Type": ${JSON.stringify(type)}})\nprint(urllib.request.urlopen(request).read().decode())`;
  return [el("h3", {}, "The same from a shell"), el("pre", { tabindex: 0 }, curl), el("h3", {}, "and from Python"), el("pre", { tabindex: 0 }, python)];
}

function useFile(file) {
  const type = kinds[file.name.split(".").pop().toLowerCase()];
  if (!type) return trouble(`${file.name}: send a CSV, npy, JSON, PNG or JPEG file.`);
  decide(file, type, file.name);
}

// ---- live

let live = null; // the stream that is open

async function startStream(event) {
  event.preventDefault();
  trouble("");
  await stopStream();
  try {
    const file = $("replay").files[0];
    if (!file) throw new Error("Choose a file of samples to replay.");
    const rows = await samplesOf(file);
    const rate = Number($("rate").value);
    const c = cards.get($("live-model").value);
    const q = { model: $("live-model").value };
    if (c.recipe && c.recipe.signal) q.rate = rate;
    const opened = await (await ask("/v1/streams", { method: "POST", body: JSON.stringify(q) })).json();
    live = { id: opened.id, abort: new AbortController() };
    $("stop").disabled = false;
    $("stream-state").textContent = `Stream ${opened.id} of ${opened.model}: ${rows.length} samples at ${rate} a second.`;
    listen(live);
    await feed(live, rows, rate);
  } catch (e) {
    if (e.name !== "AbortError") trouble(e.message);
  }
}

async function samplesOf(file) {
  if (file.name.endsWith(".npy")) throw new Error("Replay takes text here; save the samples as CSV, a row a moment.");
  const rows = (await file.text()).split("\n").map((l) => l.trim()).filter((l) => l && !/^[a-z#"]/i.test(l)).map((l) => l.split(/[,;\t ]+/).map(Number));
  if (!rows.length || rows.some((r) => r.length !== rows[0].length || r.some(Number.isNaN))) throw new Error(`${file.name}: every row needs the same number of numbers.`);
  return rows;
}

// feed sends the samples at their rate, ten times a second.
async function feed(stream, rows, rate) {
  const step = Math.max(1, Math.round(rate / 10));
  for (let at = 0; at < rows.length && live === stream; at += step) {
    const part = rows.slice(at, at + step);
    trace(part);
    const flat = new Float64Array(part.flat());
    await ask(`/v1/streams/${stream.id}/samples`, { method: "POST", body: flat.buffer, headers: { "Content-Type": "application/x-f64" }, signal: stream.abort.signal });
    await new Promise((r) => setTimeout(r, 1000 * part.length / rate));
  }
  if (live === stream) $("stream-state").textContent += " The replay is over.";
}

// listen reads the events; fetch is used because EventSource sends no token.
async function listen(stream) {
  const response = await ask(`/v1/streams/${stream.id}/decisions`, { signal: stream.abort.signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ done: true }));
    if (done) return;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const e of events) {
      const data = e.split("\n").find((l) => l.startsWith("data: "));
      if (data && e.includes("event: decision")) showDecision(JSON.parse(data.slice(6)));
      if (data && e.includes("event: dropped")) trouble(`${JSON.parse(data.slice(6)).dropped} decisions were dropped: this page is too slow.`);
    }
  }
}

function showDecision(d) {
  const body = $("decisions").tBodies[0];
  body.prepend(el("tr", {}, el("td", { class: "number" }, String(d.at)), el("td", {}, d.label), el("td", { class: "number" }, d.probability.toFixed(3)),
    el("td", { class: "number" }, d.latency_ms.toFixed(2)), el("td", {}, [d.rejected && "rejected", d.outlier && "outlier"].filter(Boolean).join(", "))));
  while (body.rows.length > 50) body.deleteRow(-1);
}

let window_ = []; // samples on the screen

function trace(rows) {
  window_ = window_.concat(rows).slice(-900);
  const c = $("traces").getContext("2d");
  const { width, height } = $("traces");
  c.clearRect(0, 0, width, height);
  const channels = Math.min(window_[0].length, 16);
  for (let k = 0; k < channels; k++) {
    const values = window_.map((r) => r[k]);
    const low = Math.min(...values), high = Math.max(...values);
    c.strokeStyle = `hsl(${200 + 12 * k} 70% 40%)`;
    c.beginPath();
    values.forEach((v, i) => c.lineTo(i * width / 900, (k + 1 - (v - low) / (high - low || 1)) * height / channels));
    c.stroke();
  }
}

async function stopStream() {
  if (!live) return;
  const { id, abort } = live;
  live = null;
  abort.abort();
  $("stop").disabled = true;
  $("stream-state").textContent = "The stream is closed.";
  await ask(`/v1/streams/${id}`, { method: "DELETE" }).catch(() => {});
}

// ---- health

async function showHealth() {
  const text = await (await ask("/metrics")).text();
  const rows = text.split("\n").filter((l) => l && !l.startsWith("#") && !l.includes("_bucket{")).map((l) => {
    const at = l.lastIndexOf(" ");
    return el("tr", {}, el("td", {}, l.slice(0, at)), el("td", { class: "number" }, l.slice(at + 1)));
  });
  $("counts").replaceChildren(el("div", { class: "scroll", tabindex: 0 }, el("table", {}, el("caption", {}, "As Prometheus reads them under /metrics"), el("tbody", {}, ...rows))));
}

// ---- the views

async function show() {
  const view = ["models", "try", "live", "health"].find((v) => "#" + v === location.hash) || "models";
  for (const s of document.querySelectorAll("main > section")) s.hidden = s.id !== view;
  for (const a of document.querySelectorAll("nav a")) {
    if (a.hash === "#" + view) a.setAttribute("aria-current", "page"); else a.removeAttribute("aria-current");
  }
  try {
    if (view === "health") await showHealth();
    trouble("");
  } catch (e) {
    trouble(e.message);
  }
}

async function start() {
  try {
    await loadModels();
    trouble("");
  } catch (e) {
    trouble(e.message);
    $("cards").replaceChildren(el("p", {}, "The models could not be read."));
  }
  await show();
}

$("model").addEventListener("change", showModel);
$("canvas").addEventListener("pointerdown", draw);
$("canvas").addEventListener("pointermove", draw);
$("clear").addEventListener("click", clearPad);
$("input").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("rows").value.trim();
  if (text) decide(text, text.startsWith("{") ? "application/json" : "text/csv");
  else if (image) decide(JSON.stringify({ X: [drawn()] }), "application/json");
  else trouble("Paste a row or choose a file first.");
});
$("file").addEventListener("change", () => $("file").files[0] && useFile($("file").files[0]));
$("try").addEventListener("dragover", (event) => event.preventDefault());
$("try").addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files[0]) useFile(event.dataTransfer.files[0]);
});
$("stream").addEventListener("submit", startStream);
$("stop").addEventListener("click", stopStream);
$("token").addEventListener("change", start);
addEventListener("hashchange", show);
clearPad();
start();
