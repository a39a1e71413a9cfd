"use strict";
// Shows what the decoder has gathered and decided. Nobody needs to touch anything.
const decision = document.getElementById("decision");
const bars = document.getElementById("bars");
const state = document.getElementById("state");
const most = 12; // bars at most, those of the highest probability
const hold = 1500; // milliseconds that a decision stays
let until = 0;

function draw(m) {
  const order = m.labels.map((label, k) => [label, m.posterior[k], k]);
  if (order.length > most) order.sort((a, b) => b[1] - a[1]);
  bars.replaceChildren();
  for (const [label, p] of order.slice(0, most)) {
    const name = document.createElement("span"), bar = document.createElement("div"), fill = document.createElement("div");
    name.textContent = label;
    bar.className = "bar";
    fill.style.width = (100 * p).toFixed(1) + "%";
    bar.append(fill);
    bars.append(name, bar);
  }
}

function show(m) {
  draw(m);
  const best = m.posterior.indexOf(Math.max(...m.posterior));
  const now = Date.now();
  if (m.ended) {
    decision.textContent = m.decided < 0 ? "—" : m.labels[m.decided];
    decision.className = m.decided < 0 ? "none" : "decided";
    until = now + hold;
  } else if (now >= until) {
    decision.textContent = m.labels[best];
    decision.className = "";
  }
  state.textContent = m.evidence;
}

const source = new EventSource("feedback/events");
source.onmessage = (e) => show(JSON.parse(e.data));
source.onerror = () => { state.textContent = "no answer from the decoder; trying again"; };
