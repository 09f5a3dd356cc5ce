/** A socket of the library with our corrections, and with a watch that replaces it when stanzas are no longer processed. */
import { makeSocket } from '@whiskeysockets/baileys/lib/Socket/socket.js'
import { SECOND } from '../../../../src/domain/clock.ts'
import { adoptSocket, endReason, endSocket } from '../../baileys/end.ts'
import { readInbound } from '../../baileys/frames/inbound.ts'
import { keepAlive } from '../../baileys/keep-alive.ts'
import { libraryLogger } from '../../baileys/logger.ts'
import { askForBatches } from '../../baileys/offline-batches.ts'
import { announceOwnName } from '../../baileys/own-name.ts'
import { guardListeners } from '../../baileys/thread/rejections.ts'
import { nodeBytes } from '../../wire/node-bytes.ts'
import type { ConnectionDeps } from '../contract.ts'
import { createDeviceLists, type DeviceLists } from '../device-lists.ts'
import { type Liveness, watchLiveness } from './liveness.ts'
import { type NetworkSocket, socketOptions } from './socket.ts'

/**
 * Code with which a stalled connection ends. It is reported like a connection that the network closed, because the
 * reason to reconnect is the same.
 */
const STALLED = 428

export interface WatchedSocket {
  sock: NetworkSocket
  devices: DeviceLists
  liveness: Liveness
  /** Logs an error that the library did not handle. */
  stray(error: unknown): void
}

export function openWatchedSocket(deps: ConnectionDeps): WatchedSocket {
  const { log, steady, tally } = deps
  const devices = createDeviceLists(steady)
  const sock = makeSocket(
    socketOptions({
      auth: deps.auth,
      logger: libraryLogger(log),
      makeSignalRepository: deps.makeSignalRepository,
      network: deps.network,
      route: deps.route,
      version: deps.version,
    }),
  )
  const stray = (error: unknown) => log.info({ err: error }, 'Baileys did not handle one of its own errors')
  const replace = (reason: string) => void endSocket(sock, endReason(reason, STALLED), 'abrupt').catch(stray)
  const countStall = (cause: string) => {
    for (const name of ['svc_inbound_stalled_total', 'svc_inbound_deaf_total'] as const) tally.add(name, { cause })
  }
  const onStalled = (error: Error) => {
    countStall('frame')
    log.warn({ err: error }, 'a frame could not be decrypted or decoded; reconnecting')
    replace('a frame could not be decrypted or decoded')
  }

  // The library's own functions still encode with the library's encoder.
  sock.sendNode = (node) => sock.sendRawMessage(nodeBytes(node))
  announceOwnName(sock, stray)
  adoptSocket(sock)
  keepAlive(sock, {
    now: steady.now,
    onError: stray,
    onTime: (seconds) => deps.learnTime(seconds * SECOND, false),
  })
  askForBatches(sock, stray)
  guardListeners(sock, { onStray: stray, onStalled })
  readInbound(sock, { onStalled })
  sock.ws.prependListener('message', deps.onFrame)
  const liveness = watchLiveness(sock, {
    now: steady.now,
    stalledAfterMs: deps.stalledAfterMs,
    onStanza: (kind) => tally.add('svc_inbound_stanzas_total', { kind }),
    onSilent: (silentMs) => log.info({ silent_ms: silentMs }, 'no stanza has been received for a while'),
    onStalled(kind) {
      countStall(kind)
      log.error({ kind, traffic: liveness.traffic() }, 'inbound stanzas are no longer processed; reconnecting')
      replace('inbound stanzas are no longer processed')
    },
  })
  return { sock, devices, liveness, stray }
}
