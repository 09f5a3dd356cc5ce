/**
 * What the lists of an account with 20,000 people, as many chats in its phone's history and 1,000 groups of 200 cost: how long a page takes,
 * warm and as the first thing after a start, the memory of the service, also while the network's list of groups is read, and what the network
 * is asked: nothing about a group that is written to, and no list again after a restart.
 */
import { setTimeout as sleepFor } from 'node:timers/promises'
import type { Gateway, Instance } from '../test/harness/gateway.ts'
import { cpuMs, median, phoneNumber, report, round, rssMb, sleep, startBench } from './measure.ts'

const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 20_000)
const GROUPS = Number(process.env.BENCH_GROUPS ?? 1_000)
const MEMBERS = Number(process.env.BENCH_MEMBERS ?? 200)
/** People who are in the groups: each is in many of them. */
const POOL = Number(process.env.BENCH_POOL ?? 2_000)
const TEXTS = Number(process.env.BENCH_TEXTS ?? 20)
const PHONE = '5511999990001'
const PAGES = 100
/** CPU of the service in two seconds in which nothing happens, ms. */
const IDLE = 100
/** ms. */
const PATIENCE = 180_000
const LISTS = ['groups', 'chats', 'contacts'] as const

const bench = await startBench()
const { sandbox } = bench
try {
  const first = await bench.serve()
  const pid = first.service.child.pid!
  const rssEmpty = rssMb(pid)
  await sandbox.createPhone(PHONE, { history: { chats: PEOPLE, contacts: PEOPLE } })
  const groups = await makeGroups()

  let instance = await first.gateway.createInstance(null)
  const pairing = peakOf(pid)
  const began = performance.now()
  // The network's thread writes the list of groups and the history meanwhile: a login may take longer than a test waits.
  await first.gateway.pair(instance, sandbox, PHONE).catch(() => first.gateway.waitForStatus(instance, 'connected', PATIENCE))
  await settled(first.gateway, instance, pid)
  const learnt = performance.now() - began
  const rssPairing = pairing()
  const warm = await pagesOf(first.gateway, instance, pid)
  const rssFull = rssMb(pid)
  const reading = peakOf(pid)
  await readAgain()
  await settled(first.gateway, instance, pid)
  const rssReading = reading()
  const texts = await questions(() => textsTo(first.gateway, instance, groups.slice(0, TEXTS)))
  await first.service.stop()

  const again = await questions(async () => {
    const { gateway, service } = await bench.serve()
    instance = { ...instance, api_url: instance.api_url.replace(first.gateway.baseUrl, gateway.baseUrl) }
    await gateway.waitForStatus(instance, 'connected', PATIENCE)
    // As long as a user needs to look: what is on disk is read behind the login.
    await sleep(1_000)
    const cold: Record<string, number> = {}
    for (const list of LISTS) {
      const at = performance.now()
      await gateway.must(instance, 'GET', `/${list}?page_size=100`)
      cold[list] = round(performance.now() - at, 1)
    }
    await textsTo(gateway, instance, groups.slice(TEXTS, 2 * TEXTS))
    return { cold, kept: await totals(gateway, instance), rss: rssMb(service.child.pid!) }
  })
  report('pages of the lists of an account with many people and groups', {
    people: PEOPLE,
    groups: `${GROUPS} of ${MEMBERS}`,
    kept: again.result.kept,
    paired_and_learnt_s: round(learnt / 1_000, 1),
    page_ms: warm,
    first_page_after_start_ms: again.result.cold,
    rss_mb: {
      empty: round(rssEmpty, 0),
      pairing_peak: round(rssPairing, 0),
      learnt: round(rssFull, 0),
      reading_groups_peak: round(rssReading, 0),
      after_start: round(again.result.rss, 0),
    },
    questions_about_groups: { [`${TEXTS}_texts`]: texts.asked, [`restart_and_${TEXTS}_texts`]: again.asked },
    note: 'pages of 100, each another one; `other` is a question that no shard is asked, in between: what the machine adds',
  })
  if (texts.asked + again.asked > 0) throw new Error('the network was asked about groups that are known')
} finally {
  await bench.end()
}

async function makeGroups(): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < GROUPS; index++) {
    const at = (member: number) => phoneNumber((index * 37 + member * 7) % POOL)
    const participants = [PHONE, ...new Set(Array.from({ length: MEMBERS - 1 }, (_, member) => at(member)))]
    ids.push((await sandbox.createGroup({ subject: `Group ${index}`, owner: participants[1], participants })).id)
  }
  return ids
}

async function totals(gateway: Gateway, instance: Instance): Promise<Record<string, number>> {
  const total = async (list: string) =>
    Number(((await gateway.must(instance, 'GET', `/${list}?page_size=1`)) as { total: number }).total)
  return Object.fromEntries(await Promise.all(LISTS.map(async (list) => [list, await total(list)] as const)))
}

/** Until nothing new is learnt, and the service has nothing to do: what it has learnt last is written behind. */
async function settled(gateway: Gateway, instance: Instance, pid: number) {
  for (let before = '', now = ' ', used = Number.POSITIVE_INFINITY; before !== now || used > IDLE; ) {
    const at = cpuMs(pid)
    await sleep(2_000)
    used = cpuMs(pid) - at
    before = now
    const { groups = 0, ...others } = await totals(gateway, instance)
    now = JSON.stringify([groups, others])
    if (groups < GROUPS) now += Math.random()
  }
}

/** The network says that the list of groups is out of date. */
async function readAgain() {
  // A connection that lay idle while pages were read may be closed just now.
  await sandbox.stats().catch(() => {})
  const match = { account: PHONE, from: 'client', tag: 'iq', xmlns: 'w:g2', child: 'participating' }
  const { id } = await sandbox.post<{ id: string }>('/expect', { match, count: 1, wait_ms: 0 })
  const node = ['ib', { from: '@s.whatsapp.net' }, [['dirty', { type: 'groups', timestamp: '1700000000' }]]]
  await sandbox.post('/stanzas', { phone: PHONE, node })
  const { complete } = await sandbox.get<{ complete: boolean }>(`/expect/${id}?wait_ms=30000`)
  if (!complete) throw new Error('the list was not read again')
}

/** How many questions about groups the account asks meanwhile. */
async function questions<T>(work: () => Promise<T>): Promise<{ asked: number; result: T }> {
  const match = { account: PHONE, from: 'client', tag: 'iq', xmlns: 'w:g2', type: 'get' }
  const { id } = await sandbox.post<{ id: string }>('/expect', { match, count: 1_000, wait_ms: 0 })
  const result = await work()
  const { items } = await sandbox.get<{ items: unknown[] }>(`/expect/${id}?wait_ms=0`)
  return { asked: items.length, result }
}

async function textsTo(gateway: Gateway, instance: Instance, ids: readonly string[]) {
  for (const id of ids) {
    await gateway.must(instance, 'POST', '/send-text', { phone: id.replace('@g.us', '-group'), message: 'hello' })
    for (;;) {
      const { total } = (await gateway.must(instance, 'GET', '/queue')) as { total: number }
      if (total === 0) break
      await sleep(50)
    }
  }
}

/** The most memory that is seen until it is asked, in MB. */
function peakOf(pid: number): () => number {
  let peak = 0
  const look = () => {
    try {
      peak = Math.max(peak, rssMb(pid))
    } catch {
      // The service has ended: whoever waits for it will say why.
      clearInterval(timer)
    }
  }
  const timer = setInterval(look, 25)
  return () => {
    clearInterval(timer)
    look()
    return peak
  }
}

async function pagesOf(gateway: Gateway, instance: Instance, pid: number) {
  const took: Record<string, number[]> = { other: [] }
  const timed = async (name: string, path: string) => {
    const at = performance.now()
    await gateway.must(instance, 'GET', path)
    took[name] ??= []
    took[name].push(performance.now() - at)
    // Below the limit of requests.
    await sleepFor(20)
  }
  const cpu: Record<string, number> = {}
  for (const list of LISTS) {
    const before = cpuMs(pid)
    for (let page = 1; page <= PAGES; page++) {
      await timed(list, `/${list}?page=${1 + (page % (list === 'groups' ? 10 : 40))}&page_size=100`)
      await timed('other', '/me')
    }
    cpu[list] = (cpuMs(pid) - before) / PAGES
  }
  const shown = ([list, times]: [string, number[]]) => {
    const sorted = [...times].sort((one, other) => one - other)
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
    const cpu_per_page = list in cpu ? { cpu_ms: round(cpu[list]!, 1) } : {}
    return [list, { p50: round(median(times), 1), p99: round(p99, 1), max: round(Math.max(...times), 1), ...cpu_per_page }]
  }
  return Object.fromEntries(Object.entries(took).map(shown))
}
