// Opens the built documentation at desktop and phone width, in light and dark mode. It checks that pages fit the width
// and load nothing from other servers, and that the search finds a method.
//
//	node site.mjs FOLDER [FOLDER FOR SCREENSHOTS]
import { createServer } from 'node:http'
import { readFile, readdir } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { chromium } from 'playwright-core'

const [, , folder, shots] = process.argv
const types = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.json': 'application/json',
  '.svg': 'image/svg+xml' }
const server = createServer(async (request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname))
  try {
    const body = await readFile(join(folder, path === '/' ? 'index.html' : path))
    response.writeHead(200, { 'content-type': types[extname(path || '.html')] ?? 'text/html' }).end(body)
  } catch {
    response.writeHead(404).end()
  }
})
await new Promise((ready) => server.listen(0, '127.0.0.1', ready))
const base = `http://127.0.0.1:${server.address().port}/`

const pages = (await readdir(folder, { recursive: true })).filter((p) => p.endsWith('.html') &&
  !p.startsWith('notebooks') && p !== '404.html' && !/^reference\/\w+\/(?!index|SQFA|sqfa|fit)/.test(p))
const failures = []
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] })
for (const [name, width, colorScheme] of [['desktop', 1280, 'light'], ['dark', 1280, 'dark'], ['phone', 390, 'light']]) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, isMobile: width < 500, colorScheme })
  const page = await context.newPage()
  page.on('request', (r) => r.url().startsWith(base) || r.url().startsWith('data:') || failures.push(`loads ${r.url()}`))
  page.on('response', (r) => r.status() < 400 || failures.push(`${name}: ${r.status()} ${r.url()}`))
  page.on('pageerror', (e) => failures.push(`${name}: ${page.url()}: ${e.message}`))
  for (const path of name === 'dark' ? ['index.html', 'gallery/index.html'] : pages) {
    await page.goto(base + path)
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    if (over > 0) failures.push(`${name}: ${path} is ${over} pixels too wide`)
    if (shots) await page.screenshot({ path: join(shots, `${path.replaceAll('/', '_')}-${name}.png`) })
  }
  if (name === 'desktop') {
    await page.goto(base + 'index.html')
    await page.fill('input[name=query]', 'PLRSQ')
    await page.waitForSelector('.md-search-result__item', { timeout: 20000 }).catch(() => failures.push('the search finds nothing'))
  }
  await context.close()
}
await browser.close()
server.close()
console.log(failures.length ? failures.join('\n') : `${pages.length} pages at three settings: all fit, search works`)
process.exit(failures.length ? 1 : 0)
