// What the models are.

import { $, ask, cards, el, modelPath, picture } from "./common.js";

// loadModels reads the cards and fills in the choices of the other views.
export async function loadModels() {
  const list = await (await ask("/v2/repository/index", { method: "POST" })).json();
  cards.clear();
  for (const m of list) cards.set(m.name, await (await ask(modelPath(m.name) + "/card")).json());
  $("cards").replaceChildren(...[...cards.values()].map(cardOf));
  if (!cards.size) $("cards").append(el("p", { class: "empty" }, "There are no models. Put one into the folder that rao serve watches; rao fit creates one."));
  for (const select of [$("model"), $("live-model")]) {
    const chosen = select.value;
    select.replaceChildren(...[...cards.keys()].map((name) => el("option", { value: name }, name)));
    if (cards.has(chosen)) select.value = chosen;
  }
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
  card.append(...(c.pictures || []).map(picture));
  return card;
}
