// A place to try a model: paste, drop, draw; decisions, reasons, the same call elsewhere.

import { $, ask, cards, color, el, fail, modelPath, picture, svg, table, trouble } from "./common.js";

let image = null; // what the pad is drawn on: rows and columns

export function showModel() {
  const c = cards.get($("model").value);
  image = c && c.image && c.image[2] === 1 ? c.image : null;
  $("pad").hidden = !image;
  if (image) $("white").value = image[0] === 8 && image[1] === 8 ? 16 : 255;
  if (c) $("rows").placeholder = `${c.kind === "matrices" ? c.dim * c.dim : c.dim} numbers per row, separated by commas`;
}

// ---- the pad

const pad = $("canvas").getContext("2d", { willReadFrequently: true });
const pen = { x: 120, y: 120, down: false };

function clearPad() {
  pad.fillStyle = "#000";
  pad.fillRect(0, 0, 240, 240);
}

function dot(x, y) {
  pad.fillStyle = "#fff";
  pad.beginPath();
  pad.arc(x, y, 13, 0, 2 * Math.PI);
  pad.fill();
}

function drawAt(event) {
  if (!(event.buttons & 1)) return;
  const box = $("canvas").getBoundingClientRect();
  dot((event.clientX - box.left) * 240 / box.width, (event.clientY - box.top) * 240 / box.height);
}

// keys draw too: arrows move the pen, space puts it down and up.
function drawByKey(event) {
  const step = { ArrowLeft: [-8, 0], ArrowRight: [8, 0], ArrowUp: [0, -8], ArrowDown: [0, 8] }[event.key];
  if (step) {
    pen.x = Math.min(240, Math.max(0, pen.x + step[0]));
    pen.y = Math.min(240, Math.max(0, pen.y + step[1]));
  } else if (event.key === " ") {
    pen.down = !pen.down;
  } else {
    return;
  }
  event.preventDefault();
  if (pen.down) dot(pen.x, pen.y);
  $("pen").textContent = `The pen is ${pen.down ? "down" : "up"}, ${Math.round(pen.x / 2.4)} % from the left and ${Math.round(pen.y / 2.4)} % from the top.`;
}

// drawn averages the pad down to the model's size; white is what the field beside it says.
function drawn() {
  const [rows, cols] = image;
  const white = Number($("white").value);
  const pixels = pad.getImageData(0, 0, 240, 240).data;
  const out = [];
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      let sum = 0, n = 0;
      for (let y = Math.floor(i * 240 / rows); y < (i + 1) * 240 / rows; y++) {
        for (let x = Math.floor(j * 240 / cols); x < (j + 1) * 240 / cols; x++) { sum += pixels[4 * (y * 240 + x)]; n++; }
      }
      out.push(Math.round(white * sum / n / 255));
    }
  }
  return out;
}

// ---- decisions

const kinds = { csv: "text/csv", tsv: "text/csv", txt: "text/csv", npy: "application/x-npy", json: "application/json", png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg" };

async function decide(body, type, name) {
  trouble("");
  const path = modelPath($("model").value);
  const options = { method: "POST", body, headers: { "Content-Type": type } };
  try {
    const result = await (await ask(path + "/predict", options)).json();
    $("answer").replaceChildren(...result.predictions.slice(0, 20).map(answerOf));
    if (result.predictions.length > 20) $("answer").append(el("p", {}, `and ${result.predictions.length - 20} more`));
    for (const n of result.notes || []) $("answer").append(el("p", {}, n));
    $("answer").append(await why(path, options));
    $("answer").append(...sameCall(path, type, name, body));
  } catch (e) {
    fail(e);
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
  let x;
  try {
    x = (await (await ask(path + "/explain", options)).json()).items[0];
  } catch (e) {
    return el("p", {}, e.message);
  }
  const box = el("div", { class: "card", id: "why" }, el("h3", {}, `Why ${x.label} rather than ${x.runner_up}`), el("p", {}, `log-odds ${x.log_odds.toFixed(2)}`));
  if (x.note) box.append(el("p", {}, x.note));
  if (x.terms) {
    const pairs = (x.pairs || []).reduce((a, p) => a + p.log_odds, 0);
    box.append(table("The terms add up to the log-odds", ["term", "log-odds"], [["constant", x.constant.toFixed(2)],
      ...x.terms.map((t) => [`filter ${t.filter + 1}`, t.log_odds.toFixed(2)]), ["pairs of filters", pairs.toFixed(2)]]));
  }
  if (x.components) {
    box.append(table("The same by component of the mixtures", ["class", "component", "share", "log-odds"],
      x.components.map((c) => [c.class, c.component + 1, c.share.toFixed(3), c.log_odds.toFixed(2)])));
  }
  if (x.sources) {
    box.append(table("The sources add up to the log-odds", ["class", "weight", "value", "log-odds"], [["constant", "", "", x.constant.toFixed(2)],
      ...x.sources.map((s) => [s.class, s.weight.toFixed(3), s.feature.toFixed(2), s.log_odds.toFixed(2)])]));
  }
  for (const p of x.prototypes || []) {
    box.append(el("p", {}, `distance ${p.distance.toFixed(3)} to ${p.class}; largest log-ratios ${p.log_ratios.slice(0, 5).map((v) => v.toFixed(2)).join(", ")}`));
  }
  if (x.input && x.input.gradient && x.input.shape.length === 2) box.append(heat(x.input));
  box.append(...(x.pictures || []).map(picture));
  const c = cards.get($("model").value);
  if (c.ellipses && x.terms && x.terms.length > 1) box.append(ellipses(c, x.terms.map((t) => t.feature)));
  return box;
}

// heat draws the derivative of the log-odds: red where more helps the label, blue where less.
function heat(input) {
  const [rows, cols] = input.shape;
  const canvas = el("canvas", { class: "heat", width: cols, height: rows, role: "img", "aria-label": "How the log-odds change with each pixel: red helps the label, blue the runner-up" });
  const top = Math.max(...input.gradient.map(Math.abs)) || 1;
  const c = canvas.getContext("2d");
  const image = c.createImageData(cols, rows);
  input.gradient.forEach((v, i) => {
    const s = 255 * (1 - Math.abs(v) / top);
    image.data.set(v > 0 ? [200 + s * 0.2, s, s, 255] : [s, s, 200 + s * 0.2, 255], 4 * i);
  });
  c.putImageData(image, 0, 0);
  return canvas;
}

// ellipses draws the classes in two features, each with 86 % of its observations inside, and
// the observation as a cross.
function ellipses(c, at) {
  const n = c.ellipses[0].mean.length;
  const box = el("figure", { class: "ellipses" });
  const choose = (label, value) => {
    const select = el("select", {}, ...Array.from({ length: n }, (_, i) => el("option", { value: i }, `filter ${i + 1}`)));
    select.value = value;
    select.addEventListener("change", show);
    return [el("label", {}, label + " ", select), select];
  };
  const [acrossLabel, across] = choose("across", 0), [upLabel, up] = choose("up", 1);
  const place = el("div");
  function show() {
    const [a, b] = [Number(across.value), Number(up.value)];
    const curves = c.ellipses.map((e) => outline(e, a, b));
    const points = [...curves.flat(), [at[a], at[b]]];
    const low = [0, 1].map((k) => Math.min(...points.map((p) => p[k]))), high = [0, 1].map((k) => Math.max(...points.map((p) => p[k])));
    const x = (v) => 10 + 380 * (v - low[0]) / (high[0] - low[0] || 1), y = (v) => 290 - 280 * (v - low[1]) / (high[1] - low[1] || 1);
    const drawing = svg("svg", { viewBox: "0 0 400 300", role: "img", "aria-label": `The classes in filters ${a + 1} and ${b + 1}, and this observation as a cross` });
    curves.forEach((curve, i) => {
      drawing.append(svg("path", { d: "M" + curve.map((p) => `${x(p[0]).toFixed(1)} ${y(p[1]).toFixed(1)}`).join("L") + "Z", fill: color(i), "fill-opacity": 0.15, stroke: color(i) }));
      drawing.append(svg("text", { x: x(c.ellipses[i].mean[a]), y: y(c.ellipses[i].mean[b]), fill: "currentColor", "font-size": 13, "text-anchor": "middle" }, c.classes[i]));
    });
    const [u, v] = [x(at[a]), y(at[b])];
    drawing.append(svg("path", { d: `M${u - 7} ${v}H${u + 7}M${u} ${v - 7}V${v + 7}`, stroke: "currentColor", "stroke-width": 3 }));
    place.replaceChildren(drawing);
  }
  box.append(el("figcaption", {}, "The features and the classes"), acrossLabel, upLabel, place);
  show();
  return box;
}

// outline is the curve at two standard deviations of a Gaussian in features a and b.
function outline(e, a, b) {
  if (a === b) return [[e.mean[a], e.mean[b]]];
  const s = e.covariance, l11 = Math.sqrt(s[a][a]), l21 = s[a][b] / l11, l22 = Math.sqrt(Math.max(0, s[b][b] - l21 * l21));
  return Array.from({ length: 60 }, (_, k) => {
    const t = 2 * Math.PI * k / 60;
    return [e.mean[a] + 2 * l11 * Math.cos(t), e.mean[b] + 2 * (l21 * Math.cos(t) + l22 * Math.sin(t))];
  });
}

// sameCall is the request as others would write it.
function sameCall(path, type, name, body) {
  const url = location.origin + path + "/predict";
  const text = String(body);
  const data = name ? `--data-binary @'${name.replaceAll("'", "'\\''")}'` : `--data '${text.replaceAll("'", "'\\''")}'`;
  const curl = `curl -s '${url}' -H 'Content-Type: ${type}' ${data}`;
  const python = `import urllib.request\nbody = ${name ? `open(${JSON.stringify(name)}, "rb").read()` : JSON.stringify(text) + ".encode()"}\n` +
    `request = urllib.request.Request(${JSON.stringify(url)}, body, {"Content-Type": ${JSON.stringify(type)}})\nprint(urllib.request.urlopen(request).read().decode())`;
  return [el("h3", {}, "The same from a shell"), el("pre", { tabindex: 0 }, curl), el("h3", {}, "and from Python"), el("pre", { tabindex: 0 }, python)];
}

function useFile(file) {
  const type = kinds[file.name.split(".").pop().toLowerCase()];
  if (!type) return trouble(`${file.name}: choose a CSV, npy, JSON, PNG or JPEG file.`);
  decide(file, type, file.name);
}

$("model").addEventListener("change", showModel);
$("canvas").addEventListener("pointerdown", drawAt);
$("canvas").addEventListener("pointermove", drawAt);
$("canvas").addEventListener("keydown", drawByKey);
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
clearPad();
