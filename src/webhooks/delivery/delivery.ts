/**
 * Makes one attempt to deliver one event: signs it and posts it, with a limit of 10 s. All instances of the thread
 * share connections.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { WEBHOOK_AGENT, WEBHOOK_HEADERS } from '../../domain/brand.ts'
import { type Clock, SECOND } from '../../domain/clock.ts'
import type { EventType } from '../../domain/events.ts'
import type { Ranges } from '../../egress/addresses.ts'
import { createAgent, type EgressOptions, networkError } from '../../egress/egress.ts'
import { fairSlots } from '../../egress/fair-slots.ts'
import { createPost, NotBegun, type Posted, StaleConnection } from './post.ts'
import { signatureHeaders } from './signature.ts'

export interface Attempt {
  url: string
  secrets: readonly string[]
  body: Uint8Array
  type: EventType
  eventId: string
  instanceId: string
  attempt: number
  answerBytes?: number
}

export interface Outcome {
  ok: boolean
  /** Status of the answer. Null if there was no answer. */
  code: number | null
  /**
   * Why the attempt failed: `timeout`, `dns`, `tls`, `refused`, `blocked`, `connection`, `redirect`, or `status` and
   * the code of the answer. Null if the event was delivered.
   */
  error: string | null
  durationMs: number
  answer?: string
}

/** Makes one attempt. Rejects only if the signal aborted the attempt; its outcome is then unknown. */
export type Deliver = (attempt: Attempt, signal?: AbortSignal) => Promise<Outcome>

export interface DeliveryOptions {
  allow: Ranges
  clock: Clock
  concurrency?: number | undefined
  /**
   * Maximum number of concurrent attempts to one origin, including those that hang. The default is a quarter of the
   * total, so that one slow receiver leaves capacity for the others.
   */
  perOrigin?: number
  timeoutMs?: number
  egress?: Pick<EgressOptions, 'resolve' | 'dial'>
  /**
   * Whether this process may post events. False if another process may have replaced this one: an event could then
   * arrive after newer events of that process.
   */
  isHeld?: () => boolean
}

/**
 * Milliseconds after which an attempt without an answer no longer counts in the total, so that hanging receivers do not
 * delay others.
 */
const HANGS = SECOND
/** Milliseconds between two checks whether this process may post events again. */
const HELD_LOOK = 100

export function createDelivery(options: DeliveryOptions): { deliver: Deliver; close(): Promise<void> } {
  const {
    allow,
    clock,
    concurrency = 128,
    perOrigin = Math.ceil(concurrency / 4),
    timeoutMs = 10 * SECOND,
    egress,
    isHeld = () => true,
  } = options
  const agent = createAgent(
    { allow, plainHttp: 'allow-listed', connectTimeoutMs: timeoutMs, ...egress },
    { headersTimeout: 0, bodyTimeout: 0 },
  )
  const slots = fairSlots({ total: concurrency, perOrigin, longMs: HANGS })
  const { post, originOf } = createPost(agent, timeoutMs)

  const headersOf = ({ type, eventId, instanceId, attempt, ...signed }: Attempt) => ({
    'Content-Type': 'application/json',
    'User-Agent': WEBHOOK_AGENT,
    [WEBHOOK_HEADERS.type]: type,
    [WEBHOOK_HEADERS.eventId]: eventId,
    [WEBHOOK_HEADERS.instanceId]: instanceId,
    [WEBHOOK_HEADERS.attempt]: String(attempt),
    ...signatureHeaders({ eventId, ...signed }, clock.now()),
  })

  async function deliver(attempt: Attempt, stop?: AbortSignal): Promise<Outcome> {
    const giveBack = await slots.take(originOf(attempt.url), stop)
    let began = performance.now()
    const durationMs = () => Math.round(performance.now() - began)
    const { url, body, answerBytes } = attempt
    async function waitUntilHeld(): Promise<void> {
      if (isHeld()) return
      while (!isHeld()) await pause(HELD_LOOK, undefined, stop && { signal: stop })
      began = performance.now()
    }
    async function request(): Promise<Posted> {
      await waitUntilHeld()
      const more = { answerBytes, deadline: began + timeoutMs, stop, mayBegin: isHeld }
      return post({ url, headers: headersOf(attempt), body, ...more }).catch((error: unknown) => {
        if (error instanceof NotBegun) return request()
        throw error
      })
    }
    try {
      // A receiver may close an idle connection at the moment when it is used again. The request is then repeated once,
      // and does not count as a failed attempt.
      const { code, answer } = await request().catch(async (error: unknown) => {
        if (!(error instanceof StaleConnection)) throw error
        return request()
      })
      const result: Pick<Outcome, 'code' | 'durationMs' | 'answer'> = { code, durationMs: durationMs() }
      if (answer !== undefined) result.answer = answer
      if (code >= 200 && code < 300) return { ok: true, error: null, ...result }
      return { ok: false, error: code >= 300 && code < 400 ? 'redirect' : `status ${code}`, ...result }
    } catch (error) {
      stop?.throwIfAborted()
      return { ok: false, code: null, error: networkError(error), durationMs: durationMs() }
    } finally {
      giveBack()
    }
  }

  return { deliver, close: () => agent.destroy() }
}
