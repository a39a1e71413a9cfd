// Tests the page of the WebAssembly predictor in Chromium and the module in Node, and compares the
// predictions with the command-line tool.
//
//   node wasm.mjs RAO FOLDER   RAO is the executable, and FOLDER is serve/wasm with predictor.wasm
//
// CHROMIUM is the browser, by default chromium from PATH. SHOTS is a folder for screenshots.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [rao, folder] = process.argv.slice(2, 4).map((p) => resolve(p));
const browserPath = process.env.CHROMIUM || spawnSync("sh", ["-c", "command -v chromium || command -v chromium-browser || command -v google-chrome"]).stdout.toString().trim();
if (!browserPath) {
  console.log("skipped: no Chromium here");
  process.exit(0);
}
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const failures = [];
const check = (ok, what) => { if (!ok) failures.push(what); };
const dir = mkdtempSync(join(tmpdir(), "rao-wasm-"));

function run(...args) {
  const r = spawnSync(rao, args, { cwd: dir, encoding: "utf8" });
  if (r.status !== 0) throw new Error(`rao ${args.join(" ")}: ${r.stderr}`);
}

function writeNpy(path, shape, values) {
  const head = `{'descr': '<f8', 'fortran_order': False, 'shape': (${shape.join(", ")}), }`.padEnd(117) + "\n"; // 128 bytes with the prefix
  const prefix = Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, head.length, 0]);
  writeFileSync(path, Buffer.concat([prefix, Buffer.from(head), Buffer.from(new Float64Array(values).buffer)]));
}

// told returns the label and probabilities of each row from rao predict.
function told(model, shape, rows) {
  writeNpy(join(dir, "x.npy"), shape, rows.flat());
  run("predict", "--quiet", "--force", "--model", model, "--data", "x.npy", "--out", "p.csv");
  const [names, ...lines] = readFileSync(join(dir, "p.csv"), "utf8").trim().split("\n").map((l) => l.split(","));
  return lines.map((l) => ({ label: l[0], probability: Object.fromEntries(names.flatMap((n, k) => (n.startsWith("p_") ? [[n.slice(2), Number(l[k])]] : []))) }));
}

let seed = 1;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const spd = (n) => {
  const a = Array.from({ length: n }, () => Array.from({ length: 4 * n }, () => random() - 0.5));
  return a.flatMap((u) => a.map((v) => u.reduce((s, x, k) => s + x * v[k], 0)));
};

run("fit", "sqfa", "--data", "digits:train", "--filters", "4", "--noise", "1", "--out", "digits.rao");
run("data", "make", "syn1", "--per-class", "20", "--out", "syn.npz");
run("fit", "mdm", "--data", "syn.npz", "--out", "nearest.rao");

// in Node
const { Predictor } = await import(pathToFileURL(join(folder, "predictor.mjs")));
const predictor = await Predictor.start(readFileSync(join(folder, "predictor.wasm")));
const cases = ["digits.rao", "nearest.rao"].map((name) => {
  const model = predictor.load(readFileSync(join(dir, name)));
  const rows = Array.from({ length: 12 }, () => (model.kind === "matrices" ? spd(model.dim) : Array.from({ length: model.dim }, () => Math.floor(17 * random()))));
  const want = told(name, [12, model.dim, ...(model.kind === "matrices" ? [model.dim] : [])], rows);
  model.predict(rows).forEach((p, i) => {
    check(p.label === want[i].label, `Node, ${name}: row ${i} is ${p.label}, not ${want[i].label}`);
    for (const c of model.classes) check(Math.abs(p.probability[c] - want[i].probability[c]) < 1e-6, `Node, ${name}: row ${i}: ${c} is ${p.probability[c]}`);
  });
  for (const x of model.explain(rows)) {
    const parts = [x.constant ?? 0, ...[...(x.terms ?? []), ...(x.pairs ?? [])].map((t) => t.log_odds)];
    const rest = x.log_odds - parts.reduce((s, v) => s + v, 0);
    check(model.kind === "matrices" ? x.prototypes.length === 2 : Math.abs(rest) < 1e-9 * (1 + Math.abs(x.log_odds)), `Node, ${name}: terms leave ${rest}`);
  }
  model.close();
  return { name, rows, want };
});

// in the browser
const types = { html: "text/html", mjs: "text/javascript", wasm: "application/wasm" };
const server = createServer((q, r) => {
  const name = basename(new URL(q.url, "http://x").pathname) || "index.html";
  try {
    const body = readFileSync(join(folder, name));
    r.writeHead(200, { "content-type": types[name.split(".").pop()] ?? "text/plain" }).end(body);
  } catch {
    r.writeHead(404).end();
  }
}).listen(0, "127.0.0.1");
await new Promise((done) => server.once("listening", done));
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
try {
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.newPage({ colorScheme });
    page.on("console", (m) => check(m.type() !== "error" || /favicon/.test(m.location().url), `console: ${m.text()}`));
    page.on("pageerror", (e) => check(false, `page: ${e.message}`));
    const asked = [];
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => !document.getElementById("model").disabled);
    page.on("request", (q) => asked.push(q.url()));
    for (const { name, rows, want } of cases) {
      await page.setInputFiles("#model", join(dir, name));
      await page.waitForFunction(() => !document.getElementById("go").disabled);
      await page.fill("#x", rows.map((r) => r.join(", ")).join("\n"));
      await page.click("#go");
      const labels = await page.locator("#out tr td:nth-child(2)").allTextContents();
      check(labels.join() === want.map((w) => w.label).join(), `${name}: the page says ${labels}, the tool ${want.map((w) => w.label)}`);
      await page.locator("#out button").first().click();
      const told = await page.textContent("#why");
      check(told.includes(want[0].label) && /log-odds/.test(told), `${name}: the decision is explained: ${told}`);
      check(await page.locator("#why canvas").count() === (name === "digits.rao" ? 1 : 0), `${name}: the derivative is a picture of the digits alone`);
      await page.fill("#x", "1,2,3");
      await page.click("#go");
      check(/numbers/.test(await page.textContent("#error")), `${name}: a short row is refused in words`);
    }
    writeFileSync(join(dir, "no.rao"), "no model");
    await page.setInputFiles("#model", join(dir, "no.rao"));
    await page.waitForFunction(() => /zip|model/.test(document.getElementById("error").textContent));
    await page.fill("#x", cases.at(-1).rows.map((r) => r.join(" ")).join("\n"));
    await page.click("#go");
    check(await page.locator("#out tr").count() === 12, "after a file that is none the last model still predicts");
    await page.locator("#out button").last().click();
    check(asked.length === 0, `nothing is sent: ${asked}`);
    for (const width of [400, 1000]) {
      await page.setViewportSize({ width, height: 900 });
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      check(over <= 0, `the page overflows by ${over} at ${width} pixels`);
      if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `wasm-${colorScheme}-${width}.png`), fullPage: true });
    }
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    for (const v of violations) check(!["serious", "critical"].includes(v.impact), `${colorScheme}: ${v.id}: ${v.help}: ${v.nodes[0].html.slice(0, 120)}`);
    await page.close();
  }
} finally {
  await browser.close();
  server.close();
}
for (const f of failures) console.error("FAIL", f);
console.log(failures.length ? `${failures.length} failures` : "the predictor passes in the browser and in Node");
process.exit(failures.length ? 1 : 0);
