/** One attempt to deliver one event: sign, POST, at most 10 s. Connections are shared by all instances of the thread. */
import { request } from 'undici'
import { WEBHOOK_AGENT, WEBHOOK_HEADERS } from '../../../src/domain/brand.ts'
import { type Clock, SECOND } from '../../../src/domain/clock.ts'
import type { EventType } from '../../../src/domain/events.ts'
import type { Ranges } from '../../../src/egress/addresses.ts'
import { createAgent, drain, type EgressOptions, networkError } from '../../../src/egress/egress.ts'
import { fairSlots } from '../../../src/egress/fair-slots.ts'
import { sign } from './signature.ts'

export interface Attempt {
  url: string
  secret: string
  /** The bytes of the event, the same in every attempt. */
  body: Uint8Array
  type: EventType
  eventId: string
  instanceId: string
  /** 1 to 6. */
  attempt: number
}

export interface Outcome {
  ok: boolean
  /** HTTP status; null when there was no answer. */
  code: number | null
  /** null when delivered; else `timeout`, `dns`, `tls`, `refused`, `blocked`, `connection`, `redirect` or `status 500`. */
  error: string | null
  durationMs: number
}

/** Rejects only when the signal gave up on it: then nothing is known about the attempt. */
export type Deliver = (attempt: Attempt, signal?: AbortSignal) => Promise<Outcome>

export interface DeliveryOptions {
  allow: Ranges
  clock: Clock
  /** Attempts in flight at once in this thread, and of these to one origin. */
  concurrency?: number
  perOrigin?: number
  timeoutMs?: number
  egress?: Pick<EgressOptions, 'resolve' | 'dial'>
}

export function createDelivery(options: DeliveryOptions): { deliver: Deliver; close(): Promise<void> } {
  const { allow, clock, concurrency = 128, perOrigin = 32, timeoutMs = 10 * SECOND, egress } = options
  const agent = createAgent(
    { allow, plainHttp: 'allow-listed', connectTimeoutMs: timeoutMs, ...egress },
    { headersTimeout: 0, bodyTimeout: 0 },
  )
  const slots = fairSlots({ total: concurrency, perOrigin })

  const post = ({ url, secret, body, type, eventId, instanceId, attempt }: Attempt, signal: AbortSignal) =>
    request(url, {
      dispatcher: agent,
      method: 'POST',
      signal,
      body,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': WEBHOOK_AGENT,
        [WEBHOOK_HEADERS.type]: type,
        [WEBHOOK_HEADERS.eventId]: eventId,
        [WEBHOOK_HEADERS.instanceId]: instanceId,
        [WEBHOOK_HEADERS.attempt]: String(attempt),
        [WEBHOOK_HEADERS.signature]: sign(secret, body, clock.now()),
      },
    })

  async function deliver(attempt: Attempt, stop?: AbortSignal): Promise<Outcome> {
    const giveBack = await slots.take(new URL(attempt.url).origin, stop)
    const limit = deadline(timeoutMs, stop)
    const began = performance.now()
    const durationMs = () => Math.round(performance.now() - began)
    try {
      // A receiver may close an idle connection just as we use it again. That says nothing about the event: once more, on a new one.
      const answer = await post(attempt, limit.signal).catch((error: unknown) => {
        if (!wasStale(error)) throw error
        return post(attempt, limit.signal)
      })
      const code = answer.statusCode
      const result = { code, durationMs: durationMs() }
      // The status has decided; a body that hangs or never ends costs the connection, not the outcome.
      await drain(answer.body)
      if (code >= 200 && code < 300) return { ok: true, error: null, ...result }
      return { ok: false, error: code >= 300 && code < 400 ? 'redirect' : `status ${code}`, ...result }
    } catch (error) {
      stop?.throwIfAborted()
      return { ok: false, code: null, error: networkError(error), durationMs: durationMs() }
    } finally {
      limit.clear()
      giveBack()
    }
  }

  return { deliver, close: () => agent.destroy() }
}

const wasStale = (error: unknown) =>
  ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(String((error as { code?: unknown }).code))

/** Own timer and listener, both removed: AbortSignal.any on a signal that lives long keeps every one ever combined with it (Node 20). */
function deadline(ms: number, stop: AbortSignal | undefined) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new DOMException('no answer in time', 'TimeoutError')), ms)
  const onStop = () => controller.abort(stop?.reason)
  stop?.addEventListener('abort', onStop)
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      stop?.removeEventListener('abort', onStop)
    },
  }
}
