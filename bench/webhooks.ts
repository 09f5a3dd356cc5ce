/**
 * Measures the effect of broken webhook receivers on healthy ones. A broken receiver answers slowly or with a huge
 * body, hangs, closes the connection, or redirects. The latency of an event is the time from its creation (the time in
 * its id) to the request that its receiver accepted. At the end the broken receivers are repaired, and all events must
 * be delivered. Events that a receiver refused one by one are sent again by `replay`.
 */

import { join } from 'node:path'
import type { Instance } from '../test/harness/gateway.ts'
import { must } from '../test/harness/http.ts'
import { amount, commitsOf, cpuMs, phoneNumber, report, round, sleep, startBench } from './measure.ts'
import { startPart } from './parts/calls.ts'
import type { Kind, WebhookReceivers } from './parts/webhook-receivers.ts'

const INSTANCES = Number(process.env.BENCH_INSTANCES ?? amount(200, 40))
const EVENTS = Number(process.env.BENCH_EVENTS ?? amount(20_000, 400))
/** Texts per second of all instances together. It is a rate that leaves some capacity of the machine free. */
const PER_SECOND = Number(process.env.BENCH_PER_SECOND ?? 80)
/** Number of instances, out of 40, with each kind of broken receiver. The receivers of all other instances answer. */
const BROKEN: Record<Exclude<Kind, 'answers'>, number> = { slow: 2, huge: 2, hangs: 3, closes: 3, redirects: 2 }
const IDLE_TEXTS = 150
const IDLE_PER_SECOND = 10
const PAIRED_AT_ONCE = 8
const WRITERS = 20
/** Time limit in ms for the whole bench. The usual amounts take about seven minutes. */
const GIVE_UP_MS = 10 * 60_000

const IDLE = INSTANCES

const order = (Object.keys(BROKEN) as (keyof typeof BROKEN)[]).flatMap((kind) => Array<Kind>(BROKEN[kind]).fill(kind))
const KINDS: Kind[] = ['answers', ...new Set(order)]
const kindOf = (index: number): Kind => (index === IDLE ? undefined : order[index % 40]) ?? 'answers'
const writerOf = (index: number) => `551198888${String(1_001 + (index % WRITERS)).padStart(4, '0')}`

const bench = await startBench()
const receivers = startPart<WebhookReceivers>('webhook-receivers.ts')
try {
  const urls = await receivers.call('open')
  const { sandbox } = bench
  const { service, gateway } = await bench.serve()
  const pid = service.child.pid!
  const state = join(bench.dir, 'service/state')
  for (let index = 0; index < WRITERS; index++) await sandbox.createContact(writerOf(index))

  const instances: Instance[] = []
  const connect = async (index: number) => {
    const webhooks = { received_url: urls[kindOf(index)] }
    instances[index] = await gateway.connected(sandbox, phoneNumber(index), null, { name: `bench ${index}`, webhooks })
  }
  for (let from = 0; from <= INSTANCES; from += PAIRED_AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(PAIRED_AT_ONCE, INSTANCES + 1 - from) }, (_, at) => connect(from + at)))

  /**
   * Returns the number of rows of the webhook log, with this status if one is given. All rows are of the type
   * `received`, because no other type has a URL here.
   */
  async function inLog(status?: string): Promise<number> {
    const query = status === undefined ? '' : `&status=${status}`
    const url = `${gateway.baseUrl}/admin/webhook-log?page_size=1${query}`
    return Number((await must('GET', url, undefined, gateway.admin)).total)
  }
  async function until(what: string, isSo: () => Promise<boolean>, everyMs = 2_000) {
    for (; !(await isSo()); await sleep(everyMs))
      if (performance.now() > GIVE_UP_MS) throw new Error(`given up after ${GIVE_UP_MS / 60_000} minutes, before ${what}`)
  }

  await sandbox.burst(writerOf(IDLE), phoneNumber(IDLE), IDLE_TEXTS, 'event ', { per_second: IDLE_PER_SECOND })
  await until('the idle texts', async () => (await inLog('delivered')) >= IDLE_TEXTS)
  const idle = (await receivers.call('report')).answers.latency

  let all = IDLE_TEXTS
  /**
   * Sends `each` events per instance. Resolves when the receivers of these kinds have received all their events. Nobody
   * reads the webhook log during this time, because a reader takes CPU time of the service.
   */
  async function send(each: number, takers: readonly Kind[]) {
    const before = { cpu: cpuMs(pid), commits: commitsOf(state) }
    const began = performance.now()
    for (let index = 0; index < INSTANCES; index++) {
      // The bursts of the instances begin at different times. Otherwise, texts for all instances would arrive at the
      // same moment.
      await sleep(began + (index * 1_000) / PER_SECOND - performance.now())
      await sandbox.burst(writerOf(index), phoneNumber(index), each, 'event ', { per_second: PER_SECOND / INSTANCES })
    }
    all += each * INSTANCES
    const expected = each * instances.filter((_, index) => index !== IDLE && takers.includes(kindOf(index))).length
    const accepted = async () => {
      const counts = await receivers.call('accepted')
      return takers.reduce((sum, kind) => sum + counts[kind], 0)
    }
    await until('every event at a receiver that takes it', async () => (await accepted()) >= expected, 250)
    const seconds = (performance.now() - began) / 1_000
    const events = each * INSTANCES
    return {
      events,
      per_s: round(events / seconds, 1),
      cpu_ms_per_event: round((cpuMs(pid) - before.cpu) / events),
      commits_per_event: round((commitsOf(state) - before.commits) / events),
    }
  }
  const each = Math.ceil(EVENTS / INSTANCES)
  /**
   * The first text of a person to an instance sets up a session, which must not be measured. So each instance first
   * gets one text.
   */
  await send(1, KINDS)
  await receivers.call('report')
  const sentWell = await send(Math.ceil(each / 4), KINDS)
  const well = (await receivers.call('report')).answers.latency

  await receivers.call('setBroken', true)
  const sent = await send(each, ['answers'])
  const broken = await receivers.call('report')
  await until('every event in the log', async () => (await inLog()) >= all)
  /**
   * Counts the events by status. An event that changes its status between two of these queries is counted twice or not
   * at all, so the counts are repeated until their sum is right.
   */
  async function count() {
    for (; ; await sleep(500)) {
      const counts = { delivered: 0, pending: 0, failed: 0, discarded: 0 }
      for (const status of Object.keys(counts) as (keyof typeof counts)[]) counts[status] = await inLog(status)
      if (Object.values(counts).reduce((sum, value) => sum + value) === all) return counts
      if (performance.now() > GIVE_UP_MS) throw new Error(`of ${all} events the log has ${JSON.stringify(counts)}`)
    }
  }
  const before = await count()

  await receivers.call('setBroken', false)
  const healedAt = performance.now()
  const from = new Date(Date.now() - 60 * 60_000).toISOString()
  for (let index = 0; index < INSTANCES; index++) {
    if (kindOf(index) !== 'redirects') continue
    const range = { instance_id: instances[index]!.id, from, to: new Date().toISOString() }
    await must('POST', `${gateway.baseUrl}/admin/webhook-log/replay`, { ...range, status: 'pending' }, gateway.admin)
  }
  await until('every event delivered', async () => (await inLog('delivered')) >= all)
  const recovered = (performance.now() - healedAt) / 1_000
  const after = await count()
  const mended = await receivers.call('report')

  const accepted = KINDS.reduce((sum, kind) => sum + broken[kind].accepted + mended[kind].accepted, 0)
  const busy = broken.answers.latency
  const sum = (field: 'repeats' | 'outOfOrder') =>
    Object.fromEntries(KINDS.map((kind) => [kind, broken[kind][field] + mended[kind][field]]))
  report('what broken receivers do to healthy ones, and what becomes of every event', {
    instances: INSTANCES,
    all_answer: sentWell,
    some_broken: sent,
    one_idle_ms: idle,
    all_answer_ms: well,
    healthy_ms: busy,
    healthy_above_all_answer_ms: { p50: round(busy.p50 - well.p50, 1), p99: round(busy.p99 - well.p99, 1) },
    healthy_p99_above_idle_ms: round(busy.p99 - idle.p99, 1),
    slow_ms: broken.slow.latency,
    huge_ms: broken.huge.latency,
    posts: Object.fromEntries(KINDS.map((kind) => [kind, broken[kind].posts])),
    log_while_broken: before,
    log_after: after,
    all_delivered_after_s: round(recovered, 1),
    repeats: sum('repeats'),
    out_of_order: sum('outOfOrder'),
  })
  if (before.failed + before.discarded > 0) throw new Error('an event was given up before its schedule was over')
  if (after.delivered !== all || accepted !== sent.events) throw new Error('an event was lost')
} finally {
  await bench.end()
}
