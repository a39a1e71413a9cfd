// Opens the pages that rao demo, compare, evaluate and plot write in Chromium, at three widths, in
// light and dark mode. It checks that nothing extends beyond the page and that no words overlap.
//
//   node reports.mjs [--smoke] [RAO]   RAO is the executable, by default rao from PATH
//
// CHROMIUM is the browser, by default chromium from PATH. SHOTS is a folder for screenshots.
// --smoke checks only the page of the demo.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const smoke = process.argv.includes("--smoke");
const named = process.argv.slice(2).filter((a) => !a.startsWith("--"))[0];
const rao = named ? resolve(named) : "rao";
const browserPath = process.env.CHROMIUM || spawnSync("sh", ["-c", "command -v chromium || command -v chromium-browser || command -v google-chrome"]).stdout.toString().trim();
if (!browserPath) {
  console.log("skipped: no Chromium here");
  process.exit(0);
}
const failures = [];
const check = (ok, what) => { if (!ok) failures.push(what); };

const dir = mkdtempSync(join(tmpdir(), "rao-e2e-"));
function run(...args) {
  const done = spawnSync(rao, args, { cwd: dir, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`rao ${args.join(" ")}: ${done.stderr}`);
}

run("demo");
const pages = ["rao-demo/index.html"];
if (!smoke) {
  run("demo", "eeg");
  run("compare", "--data", "digits:train", "--test", "digits:test", "--methods", "lda,sqfa", "--options", "filters=9", "--curve", "3", "--html", "compare.html");
  run("evaluate", "--model", "rao-demo/digits.rao", "--data", "digits:test", "--html", "evaluate.html");
  run("plot", "--model", "rao-demo/digits.rao", "--data", "digits:test", "--out", "figs", "--format", "svg");
  pages.push("compare.html", "evaluate.html", "figs/index.html", "rao-demo-eeg/compare.html", "rao-demo-eeg/figs/index.html");
}

// collisions returns pairs of overlapping texts in a figure. It ignores very small overlaps.
function collisions() {
  const out = [];
  for (const svg of document.querySelectorAll("svg")) {
    const boxes = [...svg.querySelectorAll("text")].filter((t) => t.textContent.trim()).map((t) => ({ words: t.textContent, box: t.getBoundingClientRect() }));
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
      const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      const line = Math.min(a.box.height, b.box.height);
      if (wide > 0.15 * line && high > 0.35 * line) out.push(`"${a.words}" and "${b.words}" in ${svg.querySelector("title")?.textContent ?? "a figure"}`);
    }));
  }
  return [...new Set(out)];
}

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
try {
  for (const colorScheme of smoke ? ["light"] : ["light", "dark"]) {
    for (const name of pages) {
      const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, colorScheme });
      page.on("pageerror", (e) => check(false, `${name}: ${e.message}`));
      await page.goto(pathToFileURL(join(dir, name)).href);
      for (const width of [400, 800, 1400]) {
        await page.setViewportSize({ width, height: 900 });
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        check(over <= 0, `${name} overflows by ${over} at ${width} pixels`);
        for (const words of await page.evaluate(collisions)) check(false, `${name} at ${width} pixels: ${words}`);
        if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${colorScheme}-${name.replaceAll("/", "-")}-${width}.png`), fullPage: true });
      }
      await page.close();
    }
  }
} finally {
  await browser.close();
  rmSync(dir, { recursive: true, force: true });
}
for (const f of failures) console.error("FAIL", f);
console.log(failures.length ? `${failures.length} failures` : "the pages of reports pass");
process.exit(failures.length ? 1 : 0);
