/**
 * Stanzas that waited for the account are sent in batches that the client asks for, and new stanzas only after all of them. The library asks once, for
 * 100: with more of them waiting the account would get the first hundred, and then nothing. This asks again for as long as they come, as the web
 * client does, and again when none comes for a while, because the network may count otherwise.
 *
 *   <ib><offline_preview count message receipt …/></ib>   the network: so many wait
 *   <ib><offline_batch count/></ib>                       ours: send so many more
 *   <message … offline>, <receipt … offline>, …
 *   <ib><offline count/></ib>                             the network: that was all
 */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { envelopeOf } from '../wire/envelope.ts'
import { offlineBatch } from '../wire/offline-batch.ts'

/** Stanzas in a batch, as the web client asks for them. */
const BATCH = 200
/** The next batch is asked for while this many of the last one are still to come, so that the network need not pause. */
const STILL_TO_COME = BATCH / 2
const IDLE = 2 * SECOND
/** Idle times in a row after which the network is left to itself: a minute, as in the web client. */
const MAX_IDLE = 30

/** Call right after the socket was made. */
export function askForBatches(sock: Pick<WASocket, 'ws' | 'ev' | 'sendNode'>, onError: (error: unknown) => void): void {
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

  ws.removeAllListeners('CB:ib,,offline_preview')
  ws.on('CB:ib,,offline_preview', () => {
    isComing = true
    idleTimes = 0
    ask()
  })
  ws.on('frame', (frame: BinaryNode | Uint8Array) => {
    if (!isComing || frame instanceof Uint8Array || !envelopeOf(frame).isOffline) return
    idleTimes = 0
    toCome--
    if (toCome <= STILL_TO_COME) ask()
    else wait()
  })
  ws.on('CB:ib,,offline', stop)
  sock.ev.on('connection.update', ({ connection }) => {
    if (connection === 'close') stop()
  })
}
