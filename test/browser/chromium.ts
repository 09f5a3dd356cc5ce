/**
 * Starts the installed Chromium for tests of pages, and records what a page requests and reports. The browser may only
 * connect to this machine.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path))

/** Folder for screenshots of the pages; undefined if none are wanted. */
const PICTURES = process.env.SVC_TEST_PICTURES

/** Chromium's build without windows. It takes a third less processor time, but cannot load extensions. */
const SHELL = '/usr/bin/chromium-headless-shell'
const LIGHTEST = existsSync(SHELL) && !PICTURES ? SHELL : CHROMIUM

/** Reason to skip the tests; false if there is a Chromium on this machine. */
export const skip = CHROMIUM ? false : 'there is no Chromium on this machine (Debian: apt-get install chromium)'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

export const launch = (more: readonly string[] = []) => chromium.launch({ executablePath: LIGHTEST!, args: [...FLAGS, ...more] })

/** Size of the browser window. It is small, so that screenshots fit in the documentation. */
export const VIEWPORT = { width: 800, height: 620 }

/**
 * Launches the browser with an unpacked extension, which needs a profile on disk. Flags in `more` replace the usual
 * ones, because Chromium uses the last one of two equal flags.
 */
export const launchWithExtension = (profile: string, extension: string, more: readonly string[]): Promise<BrowserContext> =>
  chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM!,
    ignoreDefaultArgs: ['--disable-extensions'],
    viewport: VIEWPORT,
    args: [...FLAGS, `--disable-extensions-except=${extension}`, `--load-extension=${extension}`, ...more],
  })

/** Whether screenshots are wanted. If not, tests that only take screenshots are skipped. */
export const hasPictures = Boolean(PICTURES)

export async function picture(page: Page, name: string, { isWhole = false }: { isWhole?: boolean } = {}): Promise<void> {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: isWhole })
}

export interface Watched {
  complaints: string[]
  asked: { url: string; referer: string | undefined }[]
}

export function watch(page: Page): Watched {
  const watched: Watched = { complaints: [], asked: [] }
  page.on('console', (message) => message.type() === 'error' && watched.complaints.push(message.text()))
  page.on('pageerror', (error) => watched.complaints.push(error.message))
  page.on('request', (request) => watched.asked.push({ url: request.url(), referer: request.headers().referer || undefined }))
  return watched
}

/** Launches the browser with one page, whose requests and errors are recorded. */
export async function openWatched(options: BrowserContextOptions) {
  const browser = await launch()
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  return { browser, context, page, watched: watch(page) }
}

export const foreign = ({ asked }: Watched, baseUrl: string) =>
  asked.map(({ url }) => url).filter((url) => !url.startsWith('data:') && !url.startsWith(`${baseUrl}/`))

/**
 * Returns the names that several buttons have, or several links to different addresses. Closed sections count, too. In
 * different rows of a table or list, the same name is allowed. If a dialog is open, only its controls count.
 */
export const alike = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const seen = new Map()
    const rows = new Map([null, ...document.querySelectorAll('tr, li')].map((row, at) => [row, at]))
    const within = document.querySelector('dialog[open]') ?? document.body
    for (const [at, each] of [...within.querySelectorAll('button, a[href]')].entries()) {
      const name = (each.getAttribute('aria-label') ?? each.textContent).trim()
      const key = [each.tagName, name, rows.get(each.closest('tr, li'))].join(' ')
      seen.set(key, (seen.get(key) ?? new Set()).add(each.getAttribute('href') ?? at))
    }
    return [...seen].filter(([, all]) => all.size > 1).map(([key]) => key)
  })()`)
