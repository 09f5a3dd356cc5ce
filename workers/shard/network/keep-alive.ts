/**
 * Keep-alive pings. As in the web client, a connection is alive only if it received a frame recently. Queries that are
 * still waiting do not count.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { networkTimeOf } from '../wire/envelope.ts'
import { ping } from '../wire/keep-alive.ts'
import { endReason } from './end-reason.ts'
import type { NetworkSocket } from './network-socket.ts'

/** Interval of the pings in ms, as in the official client. */
const EVERY = 30 * SECOND
/** Time in ms by which a connection without a frame may exceed `EVERY` before it counts as lost. */
const GRACE = 5 * SECOND
/** The code with which the socket ends if no frame has arrived: `connectionLost` of the library. */
const LOST = 408

export interface KeepAliveDeps {
  now(): number
  onError(error: unknown): void
  /** Called with the network's time in seconds, from the answer to a ping. */
  onTime(seconds: number): void
}

/** Starts the pings. Must be called right after the socket is created. */
export function keepAlive(
  sock: Pick<NetworkSocket, 'ws' | 'ev' | 'end' | 'query'>,
  { now, onError, onTime }: KeepAliveDeps,
): void {
  let timer: NodeJS.Timeout | undefined
  let cameAt = now()

  function look() {
    if (now() - cameAt > EVERY + GRACE) {
      stop()
      return void sock.end(endReason('Connection was lost', LOST), 'abrupt').catch(onError)
    }
    // The answer counts as a received frame like any other.
    if (sock.ws.isOpen) sock.query(ping(), EVERY).then(tell, () => {})
  }

  function tell(answer: BinaryNode) {
    const seconds = networkTimeOf(answer)
    if (seconds !== undefined) onTime(seconds)
  }

  function stop() {
    clearInterval(timer)
  }

  sock.ws.on('frame', () => {
    cameAt = now()
    timer ??= setInterval(look, EVERY)
  })
  sock.ev.on('connection.update', ({ connection }) => {
    if (connection === 'close') stop()
  })
}
