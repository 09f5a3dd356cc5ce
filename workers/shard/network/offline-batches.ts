/**
 * Requests the offline backlog in batches. The network sends new stanzas after the backlog. As in the web client, the
 * next batch is also requested when no stanza of the backlog has arrived for a while, because the network may count
 * stanzas differently.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { envelopeOf } from '../wire/envelope.ts'
import { offlineBatch, offlineMark } from '../wire/offline-batch.ts'
import type { NetworkSocket } from './network-socket.ts'

/** Number of stanzas per batch, as in the web client. */
const BATCH = 200
/**
 * Number of stanzas of a batch that are left when the next batch is requested. It is requested early, so that the
 * network need not pause.
 */
const STILL_TO_COME = BATCH / 2
const IDLE = 2 * SECOND
/** Maximum number of batches in a row that are requested because nothing arrived: a minute, as in the web client. */
const MAX_IDLE = 30

/** Must be called right after the socket is created. */
export function askForBatches(sock: Pick<NetworkSocket, 'ws' | 'ev' | 'sendNode'>, onError: (error: unknown) => void): void {
  const { ws } = sock
  let timer: NodeJS.Timeout | undefined
  let isComing = false
  let toCome = 0
  let idleTimes = 0

  function ask() {
    toCome = BATCH
    wait()
    if (ws.isOpen) sock.sendNode(offlineBatch(BATCH)).catch(onError)
  }

  function wait() {
    clearTimeout(timer)
    timer = setTimeout(idle, IDLE).unref()
  }

  function idle() {
    idleTimes++
    if (idleTimes <= MAX_IDLE) ask()
    else stop()
  }

  function stop() {
    isComing = false
    clearTimeout(timer)
  }

  function begin() {
    isComing = true
    idleTimes = 0
    ask()
  }

  function count() {
    idleTimes = 0
    toCome--
    if (toCome <= STILL_TO_COME) ask()
    else wait()
  }

  ws.on('frame', (node: BinaryNode) => {
    const mark = offlineMark(node)
    if (mark === 'begin') return begin()
    if (mark === 'end') return stop()
    if (isComing && envelopeOf(node).isOffline) count()
  })
  sock.ev.on('connection.update', ({ connection }) => {
    if (connection === 'close') stop()
  })
}
