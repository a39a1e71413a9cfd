// Run as: node test.mjs predictor.wasm model.rao x.json probabilities.json
// Tests that the module gives the expected probabilities and refuses wrong input.
import { readFileSync } from "node:fs";
import { Predictor } from "./predictor.mjs";

const [wasm, model, x, want] = process.argv.slice(2);
const predictor = await Predictor.start(readFileSync(wasm));
const m = predictor.load(readFileSync(model));
const observations = JSON.parse(readFileSync(x)), expected = JSON.parse(readFileSync(want));
let worst = 0;
m.predict(observations).forEach((p, i) => m.classes.forEach((c, k) => { worst = Math.max(worst, Math.abs(p.probability[c] - expected[i][k])); }));
if (!(worst < 1e-10)) throw new Error(`probabilities differ by ${worst}`);
if (m.predict([]).length || m.explain([]).length) throw new Error("an empty request has an answer");
const spoiled = (at, v) => { const o = observations[0].flat(); o[at] = v; return [o]; };
const bytes = readFileSync(model);
const wrong = [
  [() => predictor.load(new Uint8Array(0)), /truncated/],
  [() => predictor.load(new Uint8Array(10)), /model/],
  [() => predictor.load(bytes.subarray(0, bytes.length >> 1)), /truncated/],
  [() => m.predict([[1]]), /numbers/],
  [() => m.predict([1]), /not an array/],
  [() => m.predict(spoiled(1, null)), /value 1 is null/],
  [() => m.predict(spoiled(1, "2")), /value 1 is "2"/],
  [() => m.predict(spoiled(1, NaN)), /NaN|not finite/],
];
if (m.kind === "matrices") wrong.push([() => m.predict(spoiled(1, observations[0].flat()[0])), /not symmetric/]);
for (const [bad, says] of wrong) {
  try { bad(); } catch (e) { if (says.test(e.message)) continue; throw e; }
  throw new Error("a wrong request was answered");
}
const start = performance.now();
for (let i = 0; i < 200; i++) m.predict(observations.slice(0, 1));
console.log(`${m.method}: ${observations.length} observations agree to ${worst.toExponential(1)}, ${((performance.now() - start) / 200).toFixed(3)} ms a decision`);
