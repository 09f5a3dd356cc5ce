/**
 * One POST of a webhook on a kept connection, by undici's dispatcher itself: a request with a signal, a timer and a stream of its own costs
 * three times as much. Deadlines are looked at together, some times a second.
 */
import type { Agent, Dispatcher } from 'undici'
import { boundedCache } from '../../lib/bounded-cache.ts'
import { onConnectionChosen } from './connection-use.ts'

export interface Posted {
  code: number
  /** The beginning of the answer's body, if it was wanted. */
  answer: string | undefined
}

export interface PostRequest {
  url: string
  headers: Record<string, string>
  body: Uint8Array
  /** Characters of the answer's body that are wanted; absent: none. */
  answerChars?: number | undefined
  /** Moment of `performance.now()` at which it is given up. */
  deadline: number
  stop?: AbortSignal | undefined
}

/** A kept connection ended before the status of a request on it: the receiver may have closed it while it was idle. */
export class StaleConnection extends Error {}

const CONNECTION_ENDED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const hasEnded = (error: unknown) => CONNECTION_ENDED.has(String((error as { code?: unknown } | undefined)?.code))

export interface Poster {
  /**
   * Rejects with an error that came before the status, with `StaleConnection` when the request was on a connection that had been used
   * before; a status decides, however its body goes on.
   */
  post(request: PostRequest): Promise<Posted>
  originOf(url: string): string
}

/** Limits for reading a body that is not needed, which is done only to keep the connection. */
const DRAIN_MS = 1_000
const DRAIN_BYTES = 64 * 1_024
/** Rounds without a POST after which the deadlines are not watched any more: the next POST is mostly near. */
const IDLE_LOOKS = 10
/** Origins and paths of URLs. */
const KNOWN_URLS = 1_024

interface UnderWay {
  deadline: number
  end(reason: unknown): void
}

export function createPost(agent: Agent, timeoutMs: number): Poster {
  const underWay = new Set<UnderWay>()
  /** Of each signal, so that it has one listener and not one for each POST. */
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
    // It does not keep the process running: a POST under way has a socket.
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

  const post: Poster['post'] = ({ url, headers, body, answerChars, deadline, stop }) =>
    new Promise((resolve, reject) => {
      const { origin, path } = placeOf(url)
      const others = stop && underSignal(stop)
      let controller: Dispatcher.DispatchController | undefined
      let code: number | undefined
      let isOver = false
      let isReused = false
      let size = 0
      const text = answerChars === undefined ? undefined : createBeginning(answerChars)

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
        else resolve({ code, answer: text?.done() })
      }

      underWay.add(mine)
      others?.add(mine)
      keepWatch()
      agent.dispatch(
        { origin, path, method: 'POST', headers, body },
        {
          onRequestStart(its) {
            controller = its
            // It waited for a connection and was given up meanwhile.
            if (isOver) return its.abort(new Error('given up'))
            onConnectionChosen((reused) => {
              isReused = reused
            })
          },
          onResponseStart(_, status) {
            // An informational status (1xx) may come before the answer.
            if (status < 200) return
            code = status
            mine.deadline = Math.min(mine.deadline, performance.now() + DRAIN_MS)
          },
          onResponseData(its, chunk) {
            size += chunk.byteLength
            text?.add(chunk)
            if (text ? !text.isFull() : size <= DRAIN_BYTES) return
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

/** The first characters of a text, or of as much of it as came in time. */
function createBeginning(chars: number) {
  const decoder = new TextDecoder()
  let text = ''
  return {
    add(chunk: Uint8Array) {
      text += decoder.decode(chunk, { stream: true })
    },
    // Twice as many code units as characters, at most.
    isFull: () => text.length >= 2 * chars,
    done: () => [...text].slice(0, chars).join(''),
  }
}
