/**
 * Sends webhook requests on kept-alive connections. It uses undici's dispatcher directly, because a request with its
 * own signal, timer and stream takes three times as much processor time.
 */
import type { Agent, Dispatcher } from 'undici'
import { boundedCache } from '../../lib/bounded-cache.ts'
import { createAnswerBeginning } from './answer-beginning.ts'
import { onConnectionChosen } from './connection-use.ts'

export interface Posted {
  code: number
  answer: string | undefined
}

export interface PostRequest {
  url: string
  headers: Record<string, string>
  body: Uint8Array
  answerBytes?: number | undefined
  deadline: number
  stop?: AbortSignal | undefined
  /**
   * Whether the request may be sent. This is asked again right before the head is written, because the name look-up and
   * the connection may have taken long.
   */
  mayBegin(): boolean
}

/** Thrown if the request was not begun, because `mayBegin` no longer allowed it when its connection was ready. */
export class NotBegun extends Error {}

/**
 * Thrown if a kept-alive connection ended before the status arrived: the receiver may have closed it while it was idle.
 */
export class StaleConnection extends Error {}

const CONNECTION_ENDED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const hasEnded = (error: unknown) => CONNECTION_ENDED.has(String((error as { code?: unknown } | undefined)?.code))

export interface Poster {
  /**
   * Rejects if an error occurs before the status arrives, or if `stop` is aborted. The error is `StaleConnection` if a
   * used connection ended, and `NotBegun` if `mayBegin` returned false. A status that has arrived is the result,
   * however the body continues.
   */
  post(request: PostRequest): Promise<Posted>
  originOf(url: string): string
}

/** Milliseconds for which the rest of an answer is read, so that the connection can be used again. */
const DRAIN_MS = 1_000
const DRAIN_BYTES = 64 * 1_024
/** Maximum number of checks without a running request that are followed by another check. The timer then stops. */
const IDLE_LOOKS = 10
const KNOWN_URLS = 1_024

interface UnderWay {
  deadline: number
  end(reason: unknown): void
}

export function createPost(agent: Agent, timeoutMs: number): Poster {
  const underWay = new Set<UnderWay>()
  /** The running requests of each signal. A signal has only one listener, and not one for every request. */
  const stopped = new WeakMap<AbortSignal, Set<UnderWay>>()
  const places = boundedCache<string, { origin: string; path: string }>(KNOWN_URLS)
  const lookEveryMs = Math.max(1, Math.min(100, timeoutMs / 10))
  let isWatching = false
  let idleLooks = 0

  function placeOf(url: string) {
    const known = places.get(url)
    if (known) return known
    const { origin, pathname, search } = new URL(url)
    const place = { origin, path: pathname + search }
    places.set(url, place)
    return place
  }

  function look() {
    isWatching = false
    const now = performance.now()
    for (const each of underWay) if (each.deadline <= now) each.end(new DOMException('no answer in time', 'TimeoutError'))
    idleLooks = underWay.size === 0 ? idleLooks + 1 : 0
    if (idleLooks <= IDLE_LOOKS) keepWatch()
  }

  function keepWatch() {
    if (isWatching) return
    isWatching = true
    // A running request keeps the process alive by its socket.
    setTimeout(look, lookEveryMs).unref()
  }

  function underSignal(signal: AbortSignal): Set<UnderWay> {
    const known = stopped.get(signal)
    if (known) return known
    const all = new Set<UnderWay>()
    stopped.set(signal, all)
    signal.addEventListener('abort', () => {
      for (const each of [...all]) each.end(signal.reason)
    })
    return all
  }

  const post: Poster['post'] = ({ url, headers, body, answerBytes, deadline, stop, mayBegin }) =>
    new Promise((resolve, reject) => {
      const { origin, path } = placeOf(url)
      const others = stop && underSignal(stop)
      let controller: Dispatcher.DispatchController | undefined
      let code: number | undefined
      let isOver = false
      let isReused = false
      let size = 0
      let contentType: string | undefined
      const beginning = answerBytes === undefined ? undefined : createAnswerBeginning(answerBytes)

      const mine: UnderWay = {
        deadline,
        end(reason) {
          settle(reason)
          controller?.abort(reason as Error)
        },
      }

      function settle(error: unknown) {
        if (isOver) return
        isOver = true
        underWay.delete(mine)
        others?.delete(mine)
        if (code === undefined || stop?.aborted)
          reject(
            isReused && hasEnded(error)
              ? new StaleConnection('the receiver had closed the reused connection', { cause: error })
              : error,
          )
        else resolve({ code, answer: beginning?.text(contentType) })
      }

      underWay.add(mine)
      others?.add(mine)
      keepWatch()
      agent.dispatch(
        { origin, path, method: 'POST', headers, body },
        {
          onRequestStart(its) {
            controller = its
            // The request was aborted while it waited for a connection.
            if (isOver) return its.abort(new Error('given up'))
            if (!mayBegin()) return mine.end(new NotBegun('the request may not begin now'))
            onConnectionChosen((reused) => {
              isReused = reused
            })
          },
          onResponseStart(_, status, answered) {
            // An informational status (1xx) may precede the answer.
            if (status < 200) return
            code = status
            contentType = String(answered['content-type'] ?? '')
            mine.deadline = Math.min(mine.deadline, performance.now() + DRAIN_MS)
          },
          onResponseData(its, chunk) {
            size += chunk.byteLength
            beginning?.add(chunk)
            if (size <= DRAIN_BYTES) return
            settle(undefined)
            its.abort(new Error('enough of the answer'))
          },
          onResponseEnd: () => settle(undefined),
          onResponseError: (_, error) => settle(error),
        },
      )
    })

  return { post, originOf: (url) => placeOf(url).origin }
}
