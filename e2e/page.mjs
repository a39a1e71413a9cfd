// Tests the page of rao demo --serve in Chromium, and a live stream with the WebSocket client `ws`.
//
//   node page.mjs [--smoke] [RAO]   RAO is the executable, by default rao from PATH
//
// CHROMIUM is the browser, by default chromium from PATH. SHOTS is a folder for screenshots.
// --smoke leaves out dark mode, small screens and axe-core.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import WebSocket from "ws";

const smoke = process.argv.includes("--smoke");
const named = process.argv.slice(2).filter((a) => !a.startsWith("--"))[0];
const rao = named ? resolve(named) : "rao";
const browserPath = process.env.CHROMIUM || spawnSync("sh", ["-c", "command -v chromium || command -v chromium-browser || command -v google-chrome"]).stdout.toString().trim();
if (!browserPath) {
  console.log("skipped: no Chromium here");
  process.exit(0);
}
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const failures = [];
const check = (ok, what) => { if (!ok) failures.push(what); };

const dir = mkdtempSync(join(tmpdir(), "rao-e2e-"));

// serve starts the server and returns its process and its address.
async function serve(...args) {
  const child = spawn(rao, args, { cwd: dir, stdio: ["ignore", "ignore", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (b) => { said += b; const m = /on (https?:\S+)/.exec(said); if (m) resolve(m[1]); });
    child.once("exit", () => reject(new Error("the server ended: " + said)));
  });
  return { child, url };
}

// watched fails the test on errors of the page. asked lists console errors that the test causes on purpose.
function watched(page, asked = []) {
  page.on("console", (m) => check(m.type() !== "error" || asked.some((a) => m.text().includes(a)), `console: ${m.text()}`));
  page.on("pageerror", (e) => check(false, `page: ${e.message}`));
}

async function models(page) {
  await page.waitForSelector(".card");
  check(await page.locator("#cards .card").count() === 3, "three models have three cards");
  check(await page.locator("#cards figure img").count() >= 3, "filters, prototypes and patterns are pictures");
}

async function tryIt(page) {
  await page.click("nav >> text=Try it");
  await page.selectOption("#model", "digits");
  await page.fill("#rows", Array(64).fill(1).join(","));
  await page.click("text=Decide");
  await page.waitForSelector("#why table");
  check(await page.locator("#answer .bar").count() === 10, "ten probabilities");
  check(await page.locator("#why canvas.heat").count() === 1, "the explanation has its picture");
  check(await page.locator("#why .ellipses path").count() === 11, "ten ellipses and a cross");
  await page.selectOption("#why .ellipses select >> nth=1", "3");
  check((await page.textContent("#answer pre >> nth=0")).includes("curl"), "the same call as curl");

  // draw the digit 1 with the mouse and with keys
  await page.fill("#rows", "");
  const pad = await page.locator("#canvas").boundingBox();
  await page.mouse.move(pad.x + 120, pad.y + 30);
  await page.mouse.down();
  await page.mouse.move(pad.x + 120, pad.y + 210, { steps: 20 });
  await page.mouse.up();
  await page.click("text=Decide");
  await page.waitForFunction(() => document.querySelector("#answer h3"));
  await page.click("text=Clear");
  await page.focus("#canvas");
  for (let k = 0; k < 11; k++) await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Space");
  for (let k = 0; k < 22; k++) await page.keyboard.press("ArrowDown");
  check((await page.textContent("#pen")).includes("down"), "the pen says where it is");
  await page.click("text=Decide");
  await page.waitForFunction(() => document.querySelector("#answer h3"));

  await page.selectOption("#model", "rhythms");
  const covariance = Array.from({ length: 256 }, (_, k) => k % 17 === 0 ? 10 + k / 17 : 0.5).join(",");
  await page.fill("#rows", covariance);
  await page.click("text=Decide");
  await page.waitForSelector("#why figure img");
  check((await page.textContent("#why")).includes("sources add up"), "the sources of enuc are listed");
  await page.selectOption("#model", "digits");
  await page.fill("#rows", "1,2,3");
  await page.click("text=Decide");
  await page.waitForSelector("#trouble:not([hidden])");
  check((await page.textContent("#trouble")).includes("64"), "a short row is refused in words");
  const rows = join(dir, "rows.csv");
  writeFileSync(rows, Array(3).fill(Array(64).fill(2).join(",")).join("\n"));
  await page.setInputFiles("#file", rows);
  await page.waitForFunction(() => document.querySelectorAll("#answer > .card .bar").length === 30);
}

async function live(page) {
  await page.click("nav >> text=Live");
  await page.waitForFunction(() => document.querySelectorAll("#source option").length >= 2);
  await page.selectOption("#source", "replay:0");
  await page.selectOption("#live-model", "rhythms");
  check(await page.inputValue("#rate") === "250", "the rate is that of the recipe");
  await page.fill("#rate", "250");
  await page.fill("#step", "0.1");
  await page.click("text=Start");
  await page.waitForFunction(() => document.querySelectorAll("#decisions tbody tr").length >= 5, null, { timeout: 20000 });
  check(/median [\d.]+ ms/.test(await page.textContent("#latency")), "the latency is told");
  check(await page.locator("#classes span").count() === 2, "the strip has its legend");
  await page.click("text=Stop");
  check((await page.textContent("#stream-state")).includes("closed"), "the stream is closed");

  const samples = join(dir, "samples.csv");
  writeFileSync(samples, Array.from({ length: 40 }, () => Array.from({ length: 64 }, () => Math.round(16 * Math.random())).join(",")).join("\n"));
  await page.selectOption("#source", "file");
  await page.selectOption("#live-model", "digits");
  await page.setInputFiles("#replay", samples);
  await page.fill("#rate", "200");
  await page.click("text=Start");
  await page.waitForFunction(() => document.querySelectorAll("#decisions tbody tr").length >= 40, null, { timeout: 15000 });
  await page.selectOption("#live-model", "rhythms");
  await page.click("text=Start");
  await page.waitForSelector("#trouble:not([hidden])");
  check((await page.textContent("#trouble")).includes("needs 16"), "samples of another width are refused in words");
}

// pushed sends samples with the client ws while the page shows the decisions.
async function pushed(page, url) {
  const opened = await (await fetch(url + "/v1/streams", { method: "POST", body: '{"model":"digits"}' })).json();
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/streams/${opened.id}/ws?type=f64`, ["rao"]);
  const got = [];
  socket.on("message", (m) => got.push(JSON.parse(m)));
  await new Promise((resolve, reject) => { socket.on("open", resolve); socket.on("error", reject); });
  check(socket.protocol === "rao", "the subprotocol is agreed on");
  await page.goto(url + "/#models");
  await page.goto(url + "/#live");
  await page.waitForFunction((id) => document.querySelector(`#source option[value="stream:${id}"]`), opened.id);
  await page.selectOption("#source", "stream:" + opened.id);
  await page.click("text=Start");
  await page.waitForFunction(() => document.querySelector("#stream-state").textContent.includes("Listening"));
  for (let k = 0; k < 5; k++) socket.send(Buffer.from(new Float64Array(64).fill(k).buffer));
  socket.send(Array(64).fill(3).join(",") + "\n");
  socket.ping();
  const pong = new Promise((resolve) => socket.on("pong", resolve));
  await pong;
  await page.waitForFunction(() => document.querySelectorAll("#decisions tbody tr").length === 6);
  check(got.length === 6 && got.every((d, k) => d.id === k && d.posterior.length === 10), "ws is told of the decisions");
  socket.send(Buffer.alloc(5));
  const code = await new Promise((resolve) => socket.on("close", resolve));
  check(code === 1008 && got.at(-1).event === "error", "a message that is no sample ends the connection with words");
  await fetch(url + "/v1/streams/" + opened.id, { method: "DELETE" });
  await page.waitForFunction(() => document.querySelector("#stream-state").textContent.includes("ended"));
}

async function compare(page) {
  await page.click("nav >> text=Compare");
  await page.waitForSelector("#results .card");
  check(await page.locator("#results .card").count() === 3, "three comparisons");
  check((await page.textContent("#results")).includes("sqfa"), "methods are named");
}

async function health(page, url) {
  const X = Array.from({ length: 120 }, (_, i) => Array.from({ length: 64 }, (_, j) => j === 20 ? 40 : (i + j) % 17));
  check((await fetch(url + "/v1/models/digits/predict", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ X }) })).ok, "digits that drift are decided on");
  await page.click("nav >> text=Health");
  await page.waitForSelector("#counts .tile");
  const words = await page.textContent("#counts");
  for (const part of ["requests per second", "drift", "largest shift", "column or channel", "POST /v1/models/{model}/predict", "99 % within"]) check(words.includes(part), `health says ${part}`);
}

// views checks every panel at three widths, and with the rules of axe-core.
async function views(page, url, scheme) {
  for (const view of ["models", "try", "live", "compare", "health"]) {
    await page.goto(`${url}/#${view}`);
    await page.waitForTimeout(300);
    for (const width of [400, 800, 1400]) {
      await page.setViewportSize({ width, height: 900 });
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      check(over <= 0, `${view} overflows by ${over} at ${width} pixels`);
      if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${scheme}-${view}-${width}.png`), fullPage: true });
    }
    await page.evaluate(axe); // evaluated through the debugger, because the page may not load scripts
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    for (const v of violations) check(!["serious", "critical"].includes(v.impact), `${view}, ${scheme}: ${v.id}: ${v.help}: ${v.nodes[0].html.slice(0, 120)}`);
  }
}

// keyboard uses the page with the Tab key only.
async function keyboard(page, url) {
  await page.goto(url + "/#models");
  await page.reload();
  await page.waitForSelector(".card");
  const seen = [];
  for (let k = 0; k < 14; k++) {
    await page.keyboard.press("Tab");
    seen.push(await page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.id));
  }
  for (const name of ["Models", "Try it", "Live", "Compare", "Health"]) check(seen.includes(name), `Tab reaches ${name}, not only ${seen.map((s) => s.slice(0, 20)).join(", ")}`);
  await page.focus("nav a[href='#compare']");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#results .card");
}

// guarded tests the page of a server that requires a token and has neither results nor recordings.
async function guarded(browser) {
  writeFileSync(join(dir, "token"), "s3cret/token+\n");
  const { child, url } = await serve("serve", "--model", "rao-demo/digits.rao", "--addr", "127.0.0.1:0", "--token-file", "token", "--no-log", "--find-streams", "local");
  try {
    const page = await browser.newPage();
    watched(page, ["401"]);
    await page.goto(url);
    await page.waitForSelector("#trouble:not([hidden])");
    check((await page.textContent("#trouble")).includes("token"), "the token is asked for in words");
    await page.fill("#token", "s3cret/token+");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#cards .card");
    await page.click("nav >> text=Compare");
    await page.waitForSelector("#results .empty");
    check((await page.textContent("#results")).includes("There are no results"), "no results are told in words");
    const samples = join(dir, "one.csv");
    writeFileSync(samples, Array(3).fill(Array(64).fill(1).join(",")).join("\n"));
    await page.click("nav >> text=Live");
    await page.setInputFiles("#replay", samples);
    await page.click("text=Start");
    await page.waitForFunction(() => document.querySelectorAll("#decisions tbody tr").length === 3);
    await page.close();
  } finally {
    child.kill();
  }
}

const { child, url } = await serve("demo", "--serve", "--addr", "127.0.0.1:0");
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
try {
  for (const scheme of smoke ? ["light"] : ["light", "dark"]) {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, colorScheme: scheme });
    watched(page, ["status of 400"]);
    await page.goto(url);
    await models(page);
    await tryIt(page);
    await live(page);
    await pushed(page, url);
    await compare(page);
    await health(page, url);
    if (!smoke) await views(page, url, scheme);
    if (!smoke) await keyboard(page, url);
    await page.close();
  }
  if (!smoke) await guarded(browser);
} finally {
  await browser.close();
  child.kill();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
for (const f of failures) console.error("FAIL", f);
console.log(failures.length ? `${failures.length} failures` : "the page passes");
process.exit(failures.length ? 1 : 0);
