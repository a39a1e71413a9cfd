// What every view needs: elements, words of trouble, requests, colors.

export const $ = (id) => document.getElementById(id);

// el makes an element; text never becomes markup.
export function el(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

const svgSpace = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const e = document.createElementNS(svgSpace, tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

// The colors of classes, as the reports have them (Okabe and Ito 2008).
const series = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b4fa0", "#8a8d00", "#7f4f2a", "#66717d"];
export const color = (i) => series[i % series.length];

export function trouble(text) {
  $("trouble").textContent = text;
  $("trouble").hidden = !text;
}

export const token = () => $("token").value;

// ask sends a request and returns the response, or throws the server's own words.
export async function ask(path, options = {}) {
  const headers = { ...options.headers };
  if (token()) headers.Authorization = "Bearer " + token();
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (e) {
    if (e.name === "AbortError") throw e;
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

// fail shows an error, unless it is of a request that was called off.
export function fail(e) {
  if (e.name !== "AbortError") trouble(e.message);
}

// table makes a table that scrolls by itself; cells that are numbers stand to the right.
export function table(caption, head, rows) {
  const numeric = (v) => typeof v === "number" || /^([-+−]?[\d.,]+( %)?|–)$/.test(v);
  const cell = (v) => numeric(v) ? el("td", { class: "number" }, String(v)) : el("td", {}, v);
  const parts = [el("caption", {}, caption)];
  const title = (h, k) => el("th", { scope: "col", class: rows.length && rows.every((r) => r[k] === undefined || r[k] === "" || numeric(r[k])) ? "number" : "" }, h);
  if (head.length) parts.push(el("thead", {}, el("tr", {}, ...head.map(title))));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", {}, ...parts, el("tbody", {}, ...rows.map((r) => el("tr", {}, ...r.map(cell))))));
}

// picture shows a figure of the server.
export function picture(p) {
  const src = URL.createObjectURL(new Blob([p.svg], { type: "image/svg+xml" }));
  const img = el("img", { src, alt: p.alt || p.title });
  img.addEventListener("load", () => URL.revokeObjectURL(src), { once: true });
  return el("figure", { tabindex: 0 }, img);
}

export const cards = new Map(); // the models by name

export const modelPath = (name) => `/v1/models/${encodeURIComponent(name)}`;
