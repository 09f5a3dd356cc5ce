/** Requests for many instances through a load balancer, as correct clients send them, while the members change. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Instance } from '../harness/gateway.ts'
import type { Answer } from '../harness/http.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { CONTACTS, type Owed } from './traffic.ts'

/** Milliseconds between two requests. */
const EVERY = 20
/** One of this many requests of each instance sends a text; the others read a status. */
export const TEXT_EVERY = 7
/** Time limit in ms of one attempt of a request, which may wait for a moving instance. */
const ANSWERED_WITHIN = 30_000

export interface Load {
  requests: number
  /**
   * Number of requests that were answered 503 with `Retry-After` and sent once more, by `details.reason`, or by the
   * error code if there is no reason.
   */
  repeated: Record<string, number>
  /** Descriptions of the requests that failed in another way, or failed again the second time. */
  failed: string[]
  /** The texts that were accepted. */
  owed: Owed[]
  longestMs: number
}

interface ReasonedError {
  error?: { code?: string; details?: { reason?: string } }
}

const reasonOf = ({ body }: Answer) =>
  (body as ReasonedError).error?.details?.reason ?? (body as ReasonedError).error?.code ?? 'none'

export const emptyLoad = (): Load => ({ requests: 0, repeated: {}, failed: [], owed: [], longestMs: 0 })

/** Sends a request, and once more if it is answered 503 with `Retry-After`. Adds what happened to `load`. */
export async function request(load: Load, name: string | number, send: () => Promise<Answer>): Promise<Answer | string> {
  load.requests++
  const sendOnce = () =>
    Promise.race([send(), pause(ANSWERED_WITHIN, 'no answer', { ref: false })]).catch(
      (error: Error) => `${error.message} (${String(error.cause)})`,
    )
  const begun = performance.now()
  let answer = await sendOnce()
  const seconds = typeof answer === 'object' && answer.status === 503 ? Number(answer.headers.get('retry-after') ?? 0) : 0
  if (seconds > 0 && typeof answer === 'object') {
    const reason = reasonOf(answer)
    load.repeated[reason] = (load.repeated[reason] ?? 0) + 1
    await pause(seconds * 1_000)
    answer = await sendOnce()
  }
  load.longestMs = Math.max(load.longestMs, Math.round(performance.now() - begun))
  if (typeof answer === 'string') load.failed.push(`${name}: ${answer}`)
  else if (answer.status >= 300)
    load.failed.push(`${name}: ${answer.status} ${reasonOf(answer)}${seconds > 0 ? ', repeated' : ''}`)
  return answer
}

/** Sends a text through the balancer as `request` does, and adds it to `owed` if it was accepted. */
export async function sendText(
  load: Load,
  { gateway }: Pick<ClusterWorld, 'gateway'>,
  instance: Instance,
  { to, message }: Pick<Owed, 'to' | 'message'>,
): Promise<void> {
  const answer = await request(load, message, () => gateway.ask(instance, 'POST', '/send-text', { phone: to, message }))
  if (typeof answer === 'object' && answer.status < 300)
    load.owed.push({ svcId: String(answer.body.svc_id), messageId: String(answer.body.message_id), to, message })
}

/** Whether a request sends a text. The requests are numbered from 0, and are for each instance in turn. */
export function isText(number: number, instances: number): boolean {
  const [instance, round] = [number % instances, Math.floor(number / instances)]
  return round % TEXT_EVERY === instance % TEXT_EVERY
}

/**
 * Sends requests for each instance in turn until the work has ended, and at least one for each. Resolves with `load`,
 * to which it adds them.
 */
export async function underLoad(
  world: ClusterWorld,
  instances: readonly Instance[],
  label: string,
  work: () => Promise<unknown>,
  load = emptyLoad(),
): Promise<Load> {
  async function send(number: number): Promise<void> {
    const instance = instances[number % instances.length]!
    const to = CONTACTS[number % CONTACTS.length]!
    if (isText(number, instances.length)) await sendText(load, world, instance, { to, message: `${label} ${number}` })
    else await request(load, number, () => world.gateway.ask(instance, 'GET', '/status'))
  }

  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  const sent: Promise<void>[] = []
  for (let number = 0; !isOver || number < instances.length; number++) {
    sent.push(send(number))
    await pause(EVERY)
  }
  await working
  await Promise.all(sent)
  return load
}
