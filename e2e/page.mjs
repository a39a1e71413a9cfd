// Uses the page of rao serve as a person would, in Chromium.
//
//   node page.mjs [RAO]        the tool's executable; default: rao from PATH
//
// CHROMIUM names the browser (default: chromium from PATH); SHOTS a folder for screenshots.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const rao = process.argv[2] ? resolve(process.argv[2]) : "rao";
const browserPath = process.env.CHROMIUM || spawnSync("sh", ["-c", "command -v chromium || command -v chromium-browser || command -v google-chrome"]).stdout.toString().trim();
if (!browserPath) {
  console.log("skipped: no Chromium here");
  process.exit(0);
}
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const failures = [];
const check = (ok, what) => { if (!ok) failures.push(what); };

function run(args, cwd) {
  const r = spawnSync(rao, args, { cwd, encoding: "utf8" });
  if (r.status !== 0) throw new Error(`rao ${args.join(" ")}: ${r.stderr}`);
  return r.stdout;
}

const dir = mkdtempSync(join(tmpdir(), "rao-e2e-"));
run(["fit", "sqfa", "--data", "digits:train", "--filters", "4", "--noise", "1", "--out", "digits.rao"], dir);
run(["dataset", "make", "syn1", "--per-class", "20", "--out", "syn.npz"], dir);
run(["fit", "mdm", "--data", "syn.npz", "--out", "nearest.rao"], dir);
const server = spawn(rao, ["serve", "--models", dir, "--addr", "127.0.0.1:0", "--no-log"], { stdio: ["ignore", "inherit", "pipe"] });
const url = await new Promise((resolve, reject) => {
  server.stderr.once("data", (b) => { const m = /http:\S+/.exec(b); m ? resolve(m[0]) : reject(new Error(String(b))); });
  server.once("exit", () => reject(new Error("the server ended")));
});

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
try {
  for (const scheme of ["light", "dark"]) {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, colorScheme: scheme });
    page.on("console", (m) => check(m.type() !== "error", `console: ${m.text()}`));
    page.on("pageerror", (e) => check(false, `page: ${e.message}`));
    await page.goto(url);
    await page.waitForSelector(".card");
    check(await page.locator(".card").count() === 2, "two models have two cards");
    check(await page.locator(".card figure img").count() === 1, "the filters of the digits are a picture");

    await page.click("text=Try it");
    await page.fill("#rows", Array(64).fill(1).join(","));
    await page.click("text=Decide");
    await page.waitForSelector("#answer .bar");
    check(await page.locator("#answer .bar").count() === 10, "ten probabilities");
    await page.waitForSelector("#answer table");
    check(await page.locator("#answer canvas.heat").count() === 1, "the explanation has its picture");
    check((await page.locator("#answer pre").first().textContent()).includes("curl"), "the same call as curl");
    await page.fill("#rows", "");
    const pad = await page.locator("#canvas").boundingBox();
    await page.mouse.move(pad.x + 120, pad.y + 30);
    await page.mouse.down();
    await page.mouse.move(pad.x + 120, pad.y + 210, { steps: 20 });
    await page.mouse.up();
    await page.click("text=Decide");
    await page.waitForFunction(() => document.querySelector("#answer h3"));
    await page.fill("#rows", "1,2,3");
    await page.click("text=Decide");
    await page.waitForSelector("#trouble:not([hidden])");
    check((await page.textContent("#trouble")).includes("64"), "a short row is refused in words");
    failures.splice(0, failures.length, ...failures.filter((f) => !/status of 400/.test(f))); // Chromium logs the status that was asked for

    await page.click("text=Live");
    const samples = join(dir, "samples.csv");
    writeFileSync(samples, Array.from({ length: 40 }, () => Array.from({ length: 64 }, () => Math.round(16 * Math.random())).join(",")).join("\n"));
    await page.selectOption("#live-model", "digits");
    await page.setInputFiles("#replay", samples);
    await page.fill("#rate", "200");
    await page.click("text=Start");
    await page.waitForFunction(() => document.querySelectorAll("#decisions tbody tr").length >= 40, null, { timeout: 15000 });
    await page.click("text=Stop");
    check((await page.textContent("#stream-state")).includes("closed"), "the stream is closed");

    await page.click("text=Health");
    await page.waitForSelector("#counts table");
    check((await page.textContent("#counts")).includes("rao_rows_total"), "counts are shown");

    for (const view of ["models", "try", "live", "health"]) {
      await page.goto(`${url}/#${view}`);
      await page.waitForTimeout(200);
      for (const width of [400, 800, 1400]) {
        await page.setViewportSize({ width, height: 900 });
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        check(over <= 0, `${view} overflows by ${over} at ${width} pixels`);
        if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${scheme}-${view}-${width}.png`), fullPage: true });
      }
      await page.evaluate(axe); // by the debugger: the page itself may load nothing
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      for (const v of violations) check(!["serious", "critical"].includes(v.impact), `${view}, ${scheme}: ${v.id}: ${v.help}: ${v.nodes[0].html.slice(0, 120)}`);
    }
    await page.close();
  }
} finally {
  await browser.close();
  server.kill();
}
for (const f of failures) console.error("FAIL", f);
console.log(failures.length ? `${failures.length} failures` : "the page passes");
process.exit(failures.length ? 1 : 0);
