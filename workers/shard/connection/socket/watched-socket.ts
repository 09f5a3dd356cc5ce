/** Creates the socket of a connection, and closes the connection if stanzas are no longer processed. */
import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys'
import { SECOND, systemClock } from '../../../../src/domain/clock.ts'
import { endReason } from '../../network/end-reason.ts'
import { keepAlive } from '../../network/keep-alive.ts'
import { type NetworkSocket, openNetworkSocket } from '../../network/network-socket.ts'
import { askForBatches } from '../../network/offline-batches.ts'
import type { ConnectionDeps } from '../contract.ts'
import { createDeviceLists, type DeviceLists } from '../device-lists.ts'
import { type Liveness, watchLiveness } from './liveness.ts'

/**
 * The code with which a stalled connection ends. It is the code of a connection that the network closed,
 * because the reason to reconnect is the same.
 */
const STALLED = 428

export interface WatchedSocket {
  sock: NetworkSocket
  devices: DeviceLists
  liveness: Liveness
  stray(error: unknown): void
}

export function openWatchedSocket(deps: ConnectionDeps): WatchedSocket {
  const { log, steady, tally, network } = deps
  const devices = createDeviceLists(steady)
  const stray = (error: unknown) => log.info({ err: error }, 'an error of the connection to WhatsApp was not handled')
  const replace = (reason: string) => void sock.end(endReason(reason, STALLED), 'abrupt').catch(stray)
  const countStall = (cause: string) => {
    for (const name of ['svc_inbound_stalled_total', 'svc_inbound_deaf_total'] as const) tally.add(name, { cause })
  }

  const sock = openNetworkSocket({
    url: network.url ?? String(DEFAULT_CONNECTION_CONFIG.waWebSocketUrl),
    agent: deps.route.agent,
    version: deps.version,
    loginCounts: deps.loginCounts,
    trust: {
      root: network.root === null ? undefined : Buffer.from(network.root, 'base64'),
      verify: network.verify,
      now: systemClock.now,
      log: (problem) => log.warn({ problem }, 'a certificate of the network could not be verified'),
    },
    confirmOwner: deps.confirmOwner,
    isHeld: deps.isHeld,
    auth: deps.auth,
    saved: deps.settled,
    makeSignalRepository: deps.makeSignalRepository,
    onStalled(error) {
      countStall('frame')
      log.warn({ err: error }, 'a frame could not be decrypted or decoded; reconnecting')
      replace('a frame could not be decrypted or decoded')
    },
    onStray: stray,
    log,
  })
  keepAlive(sock, {
    now: steady.now,
    onError: stray,
    onTime: (seconds) => deps.learnTime(seconds * SECOND, false),
  })
  askForBatches(sock, stray)
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
