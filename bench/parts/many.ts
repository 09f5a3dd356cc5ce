/** Phases of `thousand.ts`: starts, rest, a few texts, a text for every instance at once, and a network that is away. */
import { readdirSync } from 'node:fs'
import type { Instance } from '../../test/harness/gateway.ts'
import { amount, type Bench, cpuMs, fileMb, type Loaded, phoneNumber, phoneNumbers, rssMb, sleep, textTo } from '../measure.ts'
import { atRest, REST } from './at-rest.ts'
import { countConnected, countStatuses, untilConnected } from './connected.ts'
import { type Cores, type CpuSource, medianCores, watchCores } from './cores.ts'
import { inLanes } from './in-lanes.ts'
import { beginLoopDelays, endLoopDelays } from './loop-delay.ts'
import { round } from './numbers.ts'
import { peakRss } from './peak-rss.ts'
import { receiveRound, serviceSide } from './rounds.ts'
import { STAMPED } from './stamp.ts'

/** A service with many connected instances, and the parts that work with it. */
export interface Many extends Pick<Loaded, 'receiver' | 'driver'> {
  bench: Bench
  /** Environment variables of each start of the service. */
  env: Record<string, string>
  running: Awaited<ReturnType<Bench['serve']>>
  instances: Instance[]
}

/** Phone number to which the instances send. */
export const READER = '5511988880001'
/** People who write to the instances. */
export const WRITERS = phoneNumbers(2_000, 20)
const writerOf = (index: number) => WRITERS[index % WRITERS.length]!

/** Seconds of the rest in which the processor time is measured. The garbage of the starts is collected before them. */
const IDLE = amount(30, 0.5)
/** Number of instances with a few texts, and the number of texts in each direction, one per second. */
const TALKERS = 10
const TEXTS = amount(30, 2)
/** Maximum number of calls at a time of the API of the simulated network. */
const CALLS_AT_ONCE = 16
/** Time in ms that the network gets to encrypt the texts of a burst in advance: for all of them, and for each. */
const LEAD = { all: 1_500, each: 5 }
/** Time in ms after a phase, in which the work that is left ends, and events would arrive a second time. */
const SETTLED = amount(3_000, 300)
/** Time in ms between two requests for the number of connected instances. */
const LOOK = 200
/** Longest time in ms between two events. If the next one takes longer in a burst, the missing ones count as lost. */
const PATIENCE = amount(60_000, 10_000)

const pidOf = ({ running }: Many) => running.service.child.pid!
const seconds = (ms: number, digits = 1) => round(ms / 1_000, digits)
const shownCores = (cores: Cores) => medianCores([cores])

const processesOf = ({ bench, driver, receiver }: Many, service: CpuSource): Record<string, CpuSource> => ({
  service,
  network: bench.network.child.pid!,
  client: () => cpuMs(driver.pid) + cpuMs(process.pid),
  receiver: receiver.pid,
})

const beginLoops = ({ running, bench }: Many) => beginLoopDelays(running.service.child, bench.dir)
const endLoops = ({ running, bench }: Many) => endLoopDelays(running.service.child, bench.dir)

/** Begins a measurement of the service. The returned function returns its CPU time in s, and the cores in use. */
function watchService(many: Many) {
  const pid = pidOf(many)
  const [before, cores] = [cpuMs(pid), watchCores(processesOf(many, pid))]
  return () => ({ cpu_s: seconds(cpuMs(pid) - before, 2), cores: shownCores(cores()) })
}

/** Stops or kills the service, starts it again, and waits until all instances are connected. */
export async function startAgain(many: Many, how: 'stop' | 'kill') {
  const before = many.running
  const ending = performance.now()
  await before.service[how]()
  const began = performance.now()
  const cores = watchCores(processesOf(many, () => (many.running === before ? 0 : cpuMs(pidOf(many)))))
  many.running = await many.bench.serve(many.env)
  const answering = performance.now() - began
  const marks = await untilConnected(many.running.gateway, many.instances.length, began, LOOK)
  const result = {
    ended_s: seconds(began - ending),
    answering_s: seconds(answering),
    ...marks,
    cpu_s: seconds(cpuMs(pidOf(many)), 2),
    rss_mb: round(rssMb(pidOf(many)), 0),
    loop: await endLoops(many),
    cores: shownCores(cores()),
  }
  await sleep(SETTLED)
  return result
}

export async function rest(many: Many) {
  const pid = pidOf(many)
  const before = await atRest(pid, REST - IDLE)
  const cores = watchCores(processesOf(many, pid))
  const rss = Math.min(before, await atRest(pid, IDLE))
  const used = cores()
  return {
    rss_mb: round(rss, 1),
    of_files_mb: round(fileMb(pid), 1),
    cpu_percent: round(used.service! * 100, 1),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    cores: shownCores(used),
  }
}

/**
 * Sends one text from each writer to each of their instances, and one from each talker. The first text of
 * a person to an instance sets up a session, which must not be measured.
 */
export async function becomeAcquainted({ bench, receiver, driver, instances }: Many): Promise<void> {
  const talkers = instances.slice(0, TALKERS)
  await receiver.call('reset')
  const all = receiver.call('until', { received: instances.length, delivery: talkers.length }, PATIENCE)
  await Promise.all([
    inLanes(instances, CALLS_AT_ONCE, (_, index) => bench.sandbox.burst(writerOf(index), phoneNumber(index), 1, 'hello ')),
    driver.call('drive', { urls: sendUrls(talkers), bodies: [textTo(READER)], count: talkers.length }),
  ])
  await all
  await sleep(SETTLED)
}

const sendUrls = (instances: readonly Instance[]) => instances.map(({ api_url }) => `${api_url}/send-text`)

/** Sends and receives one text per second. */
export async function fewTexts(many: Many) {
  const { bench, receiver, driver, instances } = many
  const pid = pidOf(many)
  const talkers = instances.slice(0, TALKERS)
  const side = serviceSide({ receiver, pid, processes: processesOf(many, pid) }, phoneNumbers(0, talkers.length))
  const cores = watchCores(processesOf(many, pid))
  const [{ p50, p99, rss }] = await Promise.all([
    receiveRound(bench.sandbox, WRITERS, side, TEXTS, 1),
    driver.call('drive', { urls: sendUrls(talkers), bodies: [textTo(READER)], count: TEXTS, perSecond: 1 }),
  ])
  const used = cores()
  return {
    cpu_percent: round(used.service! * 100, 1),
    rss_mb: round(rss, 1),
    stanza_to_webhook_ms: { p50: round(p50, 1), p99: round(p99, 1) },
    cores: shownCores(used),
  }
}

/** Sends a text to every instance at the same moment. */
export async function burst(many: Many) {
  const { bench, receiver, instances } = many
  await receiver.call('reset')
  const all = receiver.call('until', { received: instances.length }, PATIENCE).catch(() => undefined)
  const leavesAt = performance.now() + LEAD.all + LEAD.each * instances.length
  await inLanes(instances, CALLS_AT_ONCE, (_, index) => {
    const lead = Math.max(0, Math.round(leavesAt - performance.now()))
    return bench.sandbox.burst(writerOf(index), phoneNumber(index), 1, STAMPED, { lead_ms: lead })
  })
  await sleep(leavesAt - performance.now() - LEAD.all / 2)
  await beginLoops(many)
  const [used, peak] = [watchService(many), peakRss(pidOf(many))]
  await all
  const { cpu_s, cores } = used()
  const loop = await endLoops(many)
  await sleep(SETTLED)
  const latency = await receiver.call('latency')
  const arrived = (await receiver.call('counts')).received?.count ?? 0
  const repeats = await receiver.call('repeats')
  return {
    last_s: seconds(latency.max, 2),
    stanza_to_webhook_ms: { p50: latency.p50, p99: latency.p99 },
    cpu_s,
    loop,
    rss_peak_mb: round(peak(), 0),
    lost: Math.max(0, instances.length - (arrived - repeats)),
    doubled: Math.max(repeats, arrived - instances.length),
    cores,
  }
}

/** Cuts all connections, refuses new ones for this time, and waits until all instances are connected again. */
export async function networkAway(many: Many, awaySeconds: number) {
  const { bench, instances } = many
  const { gateway } = many.running
  await beginLoops(many)
  const usedAway = watchService(many)
  await bench.sandbox.setDown(true)
  await sleep(awaySeconds * 1_000)
  const stillConnected = await countConnected(gateway)
  const away = { ...usedAway(), loop: await endLoops(many), still_connected: stillConnected }
  await beginLoops(many)
  const used = watchService(many)
  await bench.sandbox.setDown(false)
  const marks = await untilConnected(gateway, instances.length, performance.now(), LOOK)
  const back = { ...marks, ...used(), loop: await endLoops(many) }
  const result = { seconds: awaySeconds, away, back, statuses: await countStatuses(gateway) }
  await sleep(SETTLED)
  return result
}
