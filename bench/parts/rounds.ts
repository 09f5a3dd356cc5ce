/** Rounds of sent and of received texts, which several benches measure. */
import type { Sandbox } from '../../test/harness/sandbox.ts'
import { type Loaded, type Measured, rssMb, sleep, textTo } from '../measure.ts'
import { type CpuSource, cpuMs, medianCores, watchCores } from './cores.ts'
import { median, round, type Summary, spread } from './numbers.ts'
import { STAMPED } from './stamp.ts'

interface Sending {
  /** URLs of `send-text`. The texts are sent to them in turn. */
  urls: readonly string[]
  contact: string
  count: number
  /** Number of texts per second. Without it, 32 requests are under way at a time. */
  perSecond?: number | undefined
}

/**
 * Sends texts, and waits for the three webhooks of each text: `delivery`, and `message_status` with `sent` and
 * `delivered`.
 */
export async function sendRound(
  { receiver, driver, cost }: Pick<Loaded, 'receiver' | 'driver' | 'cost'>,
  { urls, contact, count, perSecond }: Sending,
): Promise<Measured & { commits_each: number }> {
  await receiver.call('reset')
  const began = Date.now()
  let ended = began
  const {
    cpuMs: cpu,
    commits,
    cores,
  } = await cost(async () => {
    const three = { delivery: count, 'message_status sent': count, 'message_status delivered': count }
    const arrived = receiver.call('until', three)
    const pace = perSecond === undefined ? { connections: 32 } : { perSecond }
    await driver.call('drive', { urls: [...urls], bodies: [textTo(contact)], count, ...pace })
    ended = (await arrived).delivery!.last
  })
  return { per_s: (count * 1_000) / (ended - began), cpu_ms: cpu / count, commits_each: commits / count, cores }
}

/** Largest number of texts that are queued at a time. The queue of an instance has at most 1,000 items. */
const AT_ONCE = 500

/** Sends texts in parts that fit into the queue of one instance, before a measurement. */
export async function sendInParts(side: Pick<Loaded, 'receiver' | 'driver' | 'cost'>, { count, ...sending }: Sending) {
  for (let left = count; left > 0; left -= AT_ONCE) await sendRound(side, { ...sending, count: Math.min(left, AT_ONCE) })
}

/**
 * Time in ms per text that the senders get to encrypt the texts in advance. During a measurement at a fixed rate, the
 * processor must be free for the service.
 */
const LEAD_MS_EACH = 0.8

type Latency = Summary & { left_within_ms: number }

/** The side that receives texts: a service or the bare library. */
export interface ReceivingSide {
  accounts: readonly string[]
  pid: number
  /** Processes that share the machine in a measurement, for `watchCores`. */
  processes: Record<string, CpuSource>
  reset(): Promise<unknown>
  until(count: number): Promise<unknown>
  latency(): Promise<Latency>
}

/** Returns the receiving side of a service. `accounts` are the phone numbers of its instances. */
export const serviceSide = (
  { receiver, pid, processes }: Pick<Loaded, 'receiver' | 'pid' | 'processes'>,
  accounts: readonly string[],
): ReceivingSide => ({
  accounts,
  pid,
  processes,
  reset: () => receiver.call('reset'),
  until: (wanted) => receiver.call('until', { received: wanted }, 60_000),
  latency: () => receiver.call('latency'),
})

/**
 * Sends `total` texts, rounded up so that each account gets the same number, and waits until all have arrived. Each
 * account has its own sender, because one person's texts are encrypted one after another.
 */
export async function receiveRound(
  sandbox: Sandbox,
  senders: readonly string[],
  { accounts, pid, processes, reset, until, latency }: ReceivingSide,
  total: number,
  perSecond?: number,
) {
  await reset()
  const [before, watch] = [cpuMs(pid), watchCores(processes)]
  const each = Math.ceil(total / accounts.length)
  const all = until(each * accounts.length)
  const pace =
    perSecond === undefined ? {} : { per_second: perSecond / accounts.length, lead_ms: Math.ceil(total * LEAD_MS_EACH) + 50 }
  await Promise.all(
    accounts.map(async (phone, index) => {
      // The accounts begin at different times. Otherwise the first texts of all accounts would arrive together, and so
      // would all later ones.
      if (perSecond !== undefined) await sleep((index * 1_000) / perSecond)
      return sandbox.burst(senders[index]!, phone, each, STAMPED, pace)
    }),
  )
  await all
  const { p50, p99, left_within_ms } = await latency()
  const count = each * accounts.length
  const offered = ((count - 1) * 1_000) / left_within_ms
  return { cpu_ms: (cpuMs(pid) - before) / count, p50, p99, offered, rss: rssMb(pid), cores: watch() }
}
export type ReceivingRound = Awaited<ReturnType<typeof receiveRound>>

/** Returns the medians and spreads of these rounds, for the result of a bench. */
export function shownReceiving(rounds: readonly ReceivingRound[]) {
  const of = (field: 'rss' | 'cpu_ms' | 'p50' | 'p99', digits: number) =>
    spread(
      rounds.map((each) => each[field]),
      digits,
    )
  return {
    offered_per_s: round(median(rounds.map(({ offered }) => offered)), 0),
    rss_mb: of('rss', 0),
    cpu_ms: of('cpu_ms', 2),
    p50_ms: of('p50', 1),
    p99_ms: of('p99', 1),
    cores: medianCores(rounds.map(({ cores }) => cores)),
  }
}
