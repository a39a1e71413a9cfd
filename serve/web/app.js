// The page of rao serve: what the models are, a place to try them, live decisions, results
// of comparisons, health.

import { $, el, fail, trouble } from "./common.js";
import { showResults } from "./compare.js";
import { showHealth } from "./health.js";
import { loadSources, showLiveModel } from "./live.js";
import { loadModels } from "./models.js";
import { showModel } from "./try.js";

const views = { models: () => {}, try: () => {}, live: loadSources, compare: showResults, health: showHealth };

const current = () => location.hash.slice(1) in views ? location.hash.slice(1) : "models";

async function show() {
  const view = current();
  for (const s of document.querySelectorAll("main > section")) s.hidden = s.id !== view;
  for (const a of document.querySelectorAll("nav a")) {
    if (a.hash === "#" + view) a.setAttribute("aria-current", "page"); else a.removeAttribute("aria-current");
  }
  try {
    await views[view]();
    trouble("");
  } catch (e) {
    fail(e);
  }
}

async function start() {
  try {
    await loadModels();
    showModel();
    showLiveModel();
  } catch (e) {
    fail(e);
    $("cards").replaceChildren(el("p", {}, "The models could not be read."));
    return;
  }
  await show();
}

$("token").addEventListener("change", start);
addEventListener("hashchange", show);
setInterval(() => { if (current() === "health" && !document.hidden) showHealth().catch(fail); }, 2000);
start();
