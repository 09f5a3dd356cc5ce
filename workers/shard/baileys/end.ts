/**
 * A socket left without `end()` keeps its whole graph in memory: timers, listeners, caches, the key transactions. Every socket is adopted when it is
 * made and ended once, whichever side closed it.
 */
import type { EventEmitter } from 'node:events'
import type { WASocket } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'

/** The fields that the library reads of an error that ends a socket: `output.statusCode` is the reason. */
export function endReason(message: string, statusCode: number, data: Record<string, unknown> = {}): Error {
  return Object.assign(new Error(message), { output: { statusCode }, data })
}

type EndableSocket = Pick<WASocket, 'ws' | 'ev' | 'end'>

const live = new Set<EndableSocket>()

/** Sockets of this thread that have not been ended: zero when nothing is connected, or something leaks. */
export const liveSockets = () => live.size

/** Call right after the socket was made. */
export function adoptSocket(sock: EndableSocket): void {
  live.add(sock)
  endPendingQueries(sock)
  sock.ev.on('connection.update', ({ connection }) => {
    if (connection !== 'close') return
    // `end` destroys the event buffer next, and what waits in it would be lost.
    sock.ev.flush()
    live.delete(sock)
    queueMicrotask(() => {
      sock.ws.removeAllListeners()
      // An emitter without this listener throws; an error after the end changes nothing any more.
      sock.ws.on('error', () => {})
    })
  })
}

/**
 * `end` (Socket/socket.js) removes the listeners of 'close' before it closes, and with them those of every pending query: each would wait out its 60
 * s and keep the socket's graph until then. They are rejected with an Error instead (17b).
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

/** A server that answers does so within one round trip; `ws` itself would wait 30 s. */
const CLEAN_CLOSE_DEADLINE = 3 * SECOND

/**
 * Ends the socket; resolves when it is closed. Harmless when it has ended already, also when the library ended it itself (a logout does)
 * and still waits for the server: its `end` returns at once then. A clean close waits for the server's answer, but not for long; with
 * `abrupt` (a silent or distrusted server) the connection is cut at once.
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
  /** Nothing is read from the wire until `resume`. Neither does anything to a connection that is not open. */
  pause(): void
  resume(): void
}

/** Not `once` of `node:events`: a connection that is ended during its handshake emits `error` first. */
const untilClosed = (raw: RawSocket) => new Promise<void>((resolve) => void raw.once('close', () => resolve()))

/** The `ws` object below the library's wrapper; its type hides it. Null after a close. */
export const rawSocket = (sock: Pick<WASocket, 'ws'>): RawSocket | null | undefined =>
  (sock.ws as unknown as { socket?: RawSocket | null }).socket
