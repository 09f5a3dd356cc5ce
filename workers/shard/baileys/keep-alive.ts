/**
 * The library's keep-alive sends a form that the web client does not (`wire/keep-alive.ts`), so its own is put off for good and this one
 * asks in its place. As there, and as WIRE.md 14 has it, a connection is judged by the last frame that came in: one that only writes is dead,
 * however many queries wait.
 */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { networkTimeOf } from '../wire/envelope.ts'
import { ping } from '../wire/keep-alive.ts'
import { endReason, endSocket } from './end.ts'

/** Between two questions, as the official client. */
const EVERY = 30 * SECOND
/** For the answer. */
const GRACE = 5 * SECOND
/** For the library's `keepAliveIntervalMs`: the longest that a timer takes, 24 days. */
export const NEVER = 2 ** 31 - 1
/** `connectionLost` of the library. */
const LOST = 408

export interface KeepAliveDeps {
  /** Does not step. */
  now(): number
  onError(error: unknown): void
  /** The time of the network, in seconds, as an answer has it. */
  onTime(seconds: number): void
}

/** Call right after the socket was made. */
export function keepAlive(sock: Pick<WASocket, 'ws' | 'ev' | 'end' | 'query'>, { now, onError, onTime }: KeepAliveDeps): void {
  let timer: NodeJS.Timeout | undefined
  let cameAt = now()

  function look() {
    if (now() - cameAt > EVERY + GRACE) {
      stop()
      return void endSocket(sock, endReason('Connection was lost', LOST), 'abrupt').catch(onError)
    }
    // The answer is a frame like any other; only its time is read.
    if (sock.ws.isOpen) sock.query(ping(), EVERY).then(tell, () => {})
  }

  function tell(answer: BinaryNode | undefined) {
    const seconds = answer && networkTimeOf(answer)
    if (seconds !== undefined) onTime(seconds)
  }

  function stop() {
    clearInterval(timer)
  }

  // From the handshake on.
  sock.ws.on('frame', () => {
    cameAt = now()
    timer ??= setInterval(look, EVERY)
  })
  sock.ev.on('connection.update', ({ connection }) => {
    if (connection === 'close') stop()
  })
}
