/**
 * Opens the pages of the dashboard with 500 instances and the numbers of a week: on a phone, in the dark, at 200 %, and
 * on a slow network. Another test uses the keyboard alone. SVC_TEST_PICTURES=<folder> takes pictures of these pages in
 * each mode.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { DAY, HOUR, SECOND } from '../../../src/domain/clock.ts'
import type { HealthWindow } from '../../../src/domain/dashboard.ts'
import { addAmounts, emptyHours } from '../../../src/health/activity-hours.ts'
import { createActivityRecords } from '../../../src/health/activity-records.ts'
import type { Sample } from '../../../src/health/sample.ts'
import { RINGS } from '../../../src/health/series.ts'
import { pagesSince } from '../../../src/health/series-records.ts'
import { BUCKETS } from '../../../src/metrics/table.ts'
import { openKeyRing } from '../../../src/storage/key-ring.ts'
import { openStore } from '../../../src/storage/open-store.ts'
import { loadSecretKey } from '../../../src/storage/secret-key.ts'
import { alike, foreign, launch, picture, skip, type Watched, watch } from '../../browser/chromium.ts'
import type { Instance } from '../../harness/gateway.ts'
import { must } from '../../harness/http.ts'
import { until } from '../../harness/until.ts'
import { startWorld, type World } from '../../harness/world.ts'

const INSTANCES = 500
const CONNECTED = 6
/** Number of instances that are created at the same time. */
const AT_ONCE = 20
const LONG_NAME = 'Bäckerei Müller & Söhne, Filiale Hauptbahnhof Südausgang (Bestellungen)'
const BEN = '5511988880401'

const phoneOf = (index: number) => `5511999${String(990_400 + index)}`
const nameOf = (index: number) => (index === 0 ? LONG_NAME : `Shop ${index}`)

/** Conditions under which the test opens all pages, such as a slow network. */
interface Mode {
  name: string
  context: BrowserContextOptions
  /** Speed of the browser's network in bytes per second, and its latency in ms. */
  network?: { bytesPerSecond: number; latencyMs: number }
  /** The longest time in ms until a page shows its data. */
  mostMs: number
}

const MODES: readonly Mode[] = [
  { name: 'phone', context: { viewport: { width: 380, height: 800 } }, mostMs: 30_000 },
  { name: 'dark', context: { viewport: { width: 1280, height: 860 }, colorScheme: 'dark' }, mostMs: 30_000 },
  // At a zoom of 200 %, a window has half as many CSS pixels in each direction.
  { name: 'zoom', context: { viewport: { width: 640, height: 430 }, deviceScaleFactor: 2 }, mostMs: 30_000 },
  {
    name: 'slow',
    context: { viewport: { width: 1280, height: 860 } },
    network: { bytesPerSecond: 50_000, latencyMs: 400 },
    mostMs: 60_000,
  },
]

/** Returns samples for each slot of a ring, except for an outage of an eighth of its length. */
function samplesOf(window: HealthWindow, now: number): Sample[] {
  const { stepMs, slots } = RINGS[window]
  const isOut = (index: number) => index > slots / 2 && index < slots * 0.625
  return Array.from({ length: slots }, (_, index) => index)
    .filter((index) => !isOut(index))
    .map((index) => {
      const wave = 1 + Math.sin(index / 9)
      const ms = stepMs
      const count = (perSecond: number) => Math.round((perSecond * wave * ms) / SECOND)
      const times = BUCKETS.map((_, bucket) => (bucket < 6 ? count(1) : 0))
      return {
        at: now - (slots - index) * stepMs,
        ms,
        rssMb: 140 + Math.round(10 * wave),
        queue: Math.round(30 * wave),
        backlog: Math.round(8 * wave),
        delivered: count(12),
        failed: count(1),
        sent: count(5),
        received: count(4),
        requests: count(9),
        webhookTimes: [...times, 0],
        httpTimes: [...times, 0],
      }
    })
}

/** Writes the chart measurements of a week into the store of a service that is stopped. */
async function writeWeek(dir: string, instances: readonly Instance[]) {
  const now = Date.now()
  const store = await openStore(`lmdb:${join(dir, 'state')}`)
  try {
    const keyRing = await openKeyRing(store, await loadSecretKey({ file: join(dir, 'secret-key'), store, mustExist: true }))
    const rings = { hour: samplesOf('hour', now), day: samplesOf('day', now), week: samplesOf('week', now) }
    const charts = pagesSince(rings, 0)
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const records = createActivityRecords({ store, keyOf: (id) => keyRing.of(id), log })
    const hours = emptyHours(Math.floor(now / HOUR) - 167)
    for (let hour = Math.floor(now / HOUR) - 167; hour < Math.floor(now / HOUR); hour++)
      addAmounts(hours, hour, { sent: 40 + (hour % 24) * 9, received: 30 + (hour % 17), delivered: 90, failed: hour % 5 })
    const days = Array.from({ length: 7 }, (_, back) => Math.floor(now / DAY) - back)
    const activity = instances.slice(0, CONNECTED).flatMap(({ id }) => days.map((day) => records.store(id, day, hours)))
    await store.commit({ ops: charts })
    await store.commit({ ops: activity })
  } finally {
    await store.close()
  }
}

describe('the dashboard with 500 instances and a week of data', { skip, timeout: 1_500_000 }, () => {
  let world: World
  let browser: Browser
  let adminKey: string
  const instances: Instance[] = []

  before(async () => {
    world = await startWorld({ own: true, untraced: true })
    const { gateway, sandbox, receiver } = world
    adminKey = gateway.admin.authorization.slice('Bearer '.length)
    await sandbox.createContact(BEN, { name: 'Ben' })
    for (let index = 0; index < CONNECTED; index++)
      instances.push(await gateway.connected(sandbox, phoneOf(index), receiver, { name: nameOf(index) }))
    for (let from = CONNECTED; from < INSTANCES; from += AT_ONCE) {
      const more = Array.from({ length: Math.min(AT_ONCE, INSTANCES - from) }, (_, at) => from + at)
      instances.push(...(await Promise.all(more.map((index) => gateway.createInstance(null, { name: nameOf(index) })))))
    }
    await world.restartService(() => writeWeek(world.dir, instances))
    const [first, second, third] = instances as [Instance, Instance, Instance]
    for (const instance of instances.slice(0, CONNECTED)) await world.gateway.waitForStatus(instance, 'connected', 60_000)
    for (let index = 0; index < 30; index++) await world.gateway.sendText(first, BEN, `Order ${index} is ready`)
    // The instance is paused, so its messages wait in its queue.
    await must('POST', `${second.api_url}/pause`)
    for (let index = 0; index < 45; index++) await world.gateway.sendText(second, BEN, `Later ${index}`)
    receiver.reply((_, response) => response.writeHead(500).end('Traceback (most recent call last): KeyError phone'))
    for (let index = 0; index < 5; index++) await sandbox.send(BEN, phoneOf(2), { text: `Where is my order ${index}?` })
    const log = `${world.gateway.baseUrl}/admin/webhook-log?instance_id=${third.id}&status=pending`
    await until(
      () => must<{ total: number }>('GET', log, undefined, world.gateway.admin),
      ({ total }) => total >= 5,
    )
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    world?.receiver.reply(null)
    await world?.stop()
  })

  const to = (page: Page, path: string) => page.goto(`${world.gateway.baseUrl}/dashboard/#/${path}`)

  async function signIn(page: Page) {
    await to(page, 'instances')
    await page.getByLabel('Admin key or API key').fill(adminKey)
    await page.keyboard.press('Enter')
    await page.getByText(`${INSTANCES} instances`).waitFor()
  }

  async function graveFaults(page: Page): Promise<string[]> {
    if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
    const { violations } = await page.evaluate(() =>
      (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] }),
    )
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`)
  }

  const pathsOf = ([first, second, third]: readonly Instance[]) => [
    'instances',
    'instances?size=250',
    ...['', '/webhooks', '/settings'].map((tab) => `instances/${first!.id}${tab}`),
    `instances/${instances.at(-1)!.id}`,
    `instances/${second!.id}`,
    `instances/${second!.id}/queue`,
    `messages?instance=${first!.id}`,
    `messages?instance=${first!.id}&chat=${BEN}`,
    'events',
    'timeline',
    'webhook-log',
    `webhook-log?instance=${third!.id}`,
    'access',
    'access/requirements',
    'access/plan',
    'access/sessions',
    'health',
    'health?window=day',
    'health?window=week',
    'usage',
    'sandbox',
  ]

  const problemsOf = ({ complaints }: Watched) => complaints.filter((text) => !text.includes('status of 4'))

  for (const { name, context: options, network, mostMs } of MODES)
    test(`every page is usable: ${name}`, async (t) => {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      page.setDefaultTimeout(60_000)
      const watched = watch(page)
      if (network) {
        const devtools = await context.newCDPSession(page)
        const { bytesPerSecond: bytes, latencyMs: latency } = network
        const conditions = { offline: false, latency, downloadThroughput: bytes, uploadThroughput: bytes }
        await devtools.send('Network.emulateNetworkConditions', conditions)
      }
      try {
        const opened = Date.now()
        await signIn(page)
        const times: [string, number][] = [['first load and sign-in', Date.now() - opened]]
        const faults: string[] = []
        for (const path of pathsOf(instances)) {
          const begun = Date.now()
          await to(page, path)
          await page.locator('main h1').waitFor()
          await page.locator('main .skeleton').first().waitFor({ state: 'detached' })
          times.push([path, Date.now() - begun])
          const width = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
          if (Number(width) > 0) faults.push(`${path} is ${width} px wider than the window`)
          faults.push(...(await graveFaults(page)).map((fault) => `${path}: ${fault}`))
          faults.push(...(await alike(page)).map((text) => `${path}: several have the name ${text}`))
          const short = path.replace(/[0-9a-f-]{36}/g, (id) => `i${instances.findIndex((each) => each.id === id)}`)
          await picture(page, `${name}-${short.replaceAll(/[^a-z0-9-]/gi, '_')}`, { isWhole: !path.includes('size=') })
        }
        const slowest = times.toSorted(([, one], [, other]) => other - one).slice(0, 4)
        t.diagnostic(`${name}: ${slowest.map(([path, ms]) => `${path.replace(/[0-9a-f-]{36}/, '…')} ${ms} ms`).join(', ')}`)
        assert.deepEqual(faults, [])
        assert.deepEqual(problemsOf(watched), [])
        assert.deepEqual(foreign(watched, world.gateway.baseUrl), [])
        for (const [path, ms] of times) assert.ok(ms < mostMs, `${path} took ${ms} ms`)
      } finally {
        await context.close()
      }
    })

  test('the keyboard alone is enough', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    const focused = () =>
      page.evaluate<string>(
        `(({ activeElement: at }) => (at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent).trim())(document)`,
      )
    /** Presses Tab until the focus is on a control with this name, and checks that the focus can be seen. */
    async function reach(name: string | RegExp, most = 60) {
      const fits = (text: string) => (typeof name === 'string' ? text === name : name.test(text))
      for (let press = 0; press < most; press++) {
        await page.keyboard.press('Tab')
        if (!fits(await focused())) continue
        assert.equal(await page.evaluate(`document.activeElement.matches(':focus-visible')`), true)
        return
      }
      assert.fail(`${name} is not reached with ${most} presses of Tab`)
    }
    try {
      await to(page, 'instances')
      await page.getByLabel('Admin key or API key').waitFor()
      if ((await focused()) !== 'Admin key or API key') await reach('Admin key or API key')
      await page.keyboard.type(adminKey)
      await page.keyboard.press('Enter')
      await page.getByText(`${INSTANCES} instances`).waitFor()
      await reach('Skip to the content')
      await page.keyboard.press('Enter')
      await reach('Search')
      await page.keyboard.type(LONG_NAME.slice(0, 12))
      await page.getByText('1 instance', { exact: true }).waitFor()
      await reach(LONG_NAME)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Send a message' }).waitFor()
      await reach('To')
      await page.keyboard.type(`+${BEN}`)
      await reach('Text')
      await page.keyboard.type('Typed with the keyboard alone')
      await reach('Send')
      await page.keyboard.press('Enter')
      await page.getByText('Read ✓').waitFor()
      await reach('Messages sent: values by time', 80)
      await page.keyboard.press('ArrowLeft')
      assert.match((await page.locator(':focus').getAttribute('aria-valuetext'))!, /received \d/)
    } finally {
      await context.close()
    }
  })
})
