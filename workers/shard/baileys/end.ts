/**
 * A socket that is not ended with `end()` keeps its whole object graph in memory: timers, listeners, caches, key transactions. So every socket is
 * registered at its creation and ended once, whichever side closed it.
 */
import { EventEmitter } from 'node:events'
import type { WASocket } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'

/**
 * Creates an error with the fields that the library reads from an error that ends a socket; `output.statusCode` is the
 * reason.
 */
export function endReason(message: string, statusCode: number, data: Record<string, unknown> = {}): Error {
  return Object.assign(new Error(message), { output: { statusCode }, data })
}

type EndableSocket = Pick<WASocket, 'ws' | 'ev' | 'end'>

/**
 * Number of listeners of one event above which Node warns of a leak. The default is 10, but eleven parts of a session listen to the updates of its
 * connection, so every session would log this warning.
 */
const LISTENERS = 20

const live = new Set<EndableSocket>()

/** Number of sockets of this thread that were not ended. If it is not zero while no instance is connected, there is a leak. */
export const liveSockets = () => live.size

/** Registers a socket. Must be called right after the socket is created. */
export function adoptSocket(sock: EndableSocket): void {
  live.add(sock)
  endPendingQueries(sock)
  // The emitter inside the library's buffer of events. Only the call of `on` returns it, although the type of `on` says that it returns nothing.
  const emitter: unknown = sock.ev.on('connection.update', ({ connection }) => {
    if (connection !== 'close') return
    live.delete(sock)
    queueMicrotask(() => {
      sock.ws.removeAllListeners()
      // An emitter without this listener throws; an error after the end has no effect.
      sock.ws.on('error', () => {})
    })
  })
  if (emitter instanceof EventEmitter) emitter.setMaxListeners(LISTENERS)
}

/**
 * Rejects the pending queries of a socket that ends. `end` (Socket/socket.js) removes the listeners of 'close' before it closes, including those of
 * every pending query. Without this function, each query would wait for its timeout of 60 s and keep the objects of the socket in memory until then.
 */
function endPendingQueries({ ws }: EndableSocket): void {
  const own = new Set(ws.listeners('close'))
  const { removeAllListeners } = ws
  ws.removeAllListeners = (...events) => {
    const waiting = events[0] === 'close' ? ws.listeners('close').filter((listener) => !own.has(listener)) : []
    Reflect.apply(removeAllListeners, ws, events)
    for (const listener of waiting) Reflect.apply(listener, ws, [new Error('Connection Closed')])
    return ws
  }
}

/** Time limit of a clean close. A server that answers the close does so within one round trip, but `ws` itself would wait for 30 s. */
const CLEAN_CLOSE_DEADLINE = 3 * SECOND

/**
 * Ends the socket; resolves when it is closed. It may be called again, also when the library ended the socket itself (as after a logout) and still
 * waits for the server: its `end` then returns immediately. A clean close waits a short time for the server's answer. With `abrupt` (a silent or
 * distrusted server) the connection is closed immediately.
 */
export async function endSocket(
  sock: EndableSocket,
  reason: Error | undefined,
  how: 'clean' | 'abrupt' = 'clean',
): Promise<void> {
  const raw = rawSocket(sock)
  const closed = raw && raw.readyState !== CLOSED ? untilClosed(raw) : undefined
  const ended = sock.end(reason)
  if (how === 'abrupt') raw?.terminate()
  const timer = setTimeout(() => raw?.terminate(), CLEAN_CLOSE_DEADLINE)
  try {
    await Promise.all([ended, closed])
  } finally {
    clearTimeout(timer)
  }
}

/** `readyState` of a closed WebSocket. */
const CLOSED = 3

interface RawSocket extends EventEmitter {
  readonly readyState: number
  terminate(): void
  /** Stops reading from the connection until `resume`. Both functions have no effect on a connection that is not open. */
  pause(): void
  resume(): void
}

/**
 * Waits for the close. `once` of `node:events` is not used, because a connection that is ended during its handshake
 * first emits `error`.
 */
const untilClosed = (raw: RawSocket) => new Promise<void>((resolve) => void raw.once('close', () => resolve()))

/** Returns the `ws` object inside the library's wrapper. The wrapper's type hides it. Null after a close. */
export const rawSocket = (sock: Pick<WASocket, 'ws'>): RawSocket | null | undefined =>
  (sock.ws as unknown as { socket?: RawSocket | null }).socket
