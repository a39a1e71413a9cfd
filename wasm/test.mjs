// Run as: node test.mjs predictor.wasm model.rao x.json probabilities.json
// The module gives what the model gives.
import { readFileSync } from "node:fs";
import { Predictor } from "./predictor.mjs";

const [wasm, model, x, want] = process.argv.slice(2);
const predictor = await Predictor.start(readFileSync(wasm));
const m = predictor.load(readFileSync(model));
const observations = JSON.parse(readFileSync(x)), expected = JSON.parse(readFileSync(want));
let worst = 0;
m.predict(observations).forEach((p, i) => m.classes.forEach((c, k) => { worst = Math.max(worst, Math.abs(p.probability[c] - expected[i][k])); }));
if (!(worst < 1e-10)) throw new Error(`probabilities differ by ${worst}`);
for (const [bad, says] of [[() => predictor.load(new Uint8Array(10)), /model/], [() => m.predict([[1]]), /numbers/]]) {
  try { bad(); } catch (e) { if (says.test(e.message)) continue; throw e; }
  throw new Error("a wrong request was answered");
}
const start = performance.now();
for (let i = 0; i < 200; i++) m.predict(observations.slice(0, 1));
console.log(`${m.method}: ${observations.length} observations agree to ${worst.toExponential(1)}, ${((performance.now() - start) / 200).toFixed(3)} ms a decision`);
