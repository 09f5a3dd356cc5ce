/** Requests for many instances through a load balancer, as correct clients send them, while the members change. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Instance } from '../harness/gateway.ts'
import type { Answer } from '../harness/http.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { CONTACTS, type Owed } from './traffic.ts'

/** Milliseconds between two requests. */
const EVERY = 20
/**
 * One of this many requests sends a text; the others read a status. The number is prime, so that each instance sends
 * texts.
 */
const TEXT_EVERY = 7
/** Longest time in ms of a request, which may wait for a moving instance. */
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

/** Sends requests for each instance in turn until the work has ended, and at least one for each. */
export async function underLoad(
  world: ClusterWorld,
  instances: readonly Instance[],
  label: string,
  work: () => Promise<unknown>,
): Promise<Load> {
  const load: Load = { requests: 0, repeated: {}, failed: [], owed: [], longestMs: 0 }

  async function ask(instance: Instance, number: number): Promise<Answer | string> {
    const isText = number % TEXT_EVERY === 0
    const to = CONTACTS[number % CONTACTS.length]!
    const message = `${label} ${number}`
    const asked = isText
      ? world.gateway.ask(instance, 'POST', '/send-text', { phone: to, message })
      : world.gateway.ask(instance, 'GET', '/status')
    const late = pause(ANSWERED_WITHIN, 'no answer', { ref: false })
    const answer = await Promise.race([asked, late]).catch((error: Error) => `${error.message} (${String(error.cause)})`)
    if (isText && typeof answer === 'object' && answer.status < 300)
      load.owed.push({ svcId: String(answer.body.svc_id), messageId: String(answer.body.message_id), to, message })
    return answer
  }

  async function send(number: number): Promise<void> {
    const instance = instances[number % instances.length]!
    const begun = performance.now()
    let answer = await ask(instance, number)
    const seconds = typeof answer === 'object' && answer.status === 503 ? Number(answer.headers.get('retry-after') ?? 0) : 0
    if (seconds > 0 && typeof answer === 'object') {
      const reason = reasonOf(answer)
      load.repeated[reason] = (load.repeated[reason] ?? 0) + 1
      await pause(seconds * 1_000)
      answer = await ask(instance, number)
    }
    load.longestMs = Math.max(load.longestMs, Math.round(performance.now() - begun))
    if (typeof answer === 'string') load.failed.push(`${number}: ${answer}`)
    else if (answer.status >= 300)
      load.failed.push(`${number}: ${answer.status} ${reasonOf(answer)}${seconds > 0 ? ', repeated' : ''}`)
  }

  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  const sent: Promise<void>[] = []
  for (; !isOver || load.requests < instances.length; load.requests++) {
    sent.push(send(load.requests))
    await pause(EVERY)
  }
  await working
  await Promise.all(sent)
  return load
}
