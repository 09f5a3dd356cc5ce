/**
 * The library's lowest socket, without the layers that it builds above it, and its options. The layers are for chats, groups and messages, which all
 * have code of our own. Every option that this socket reads is set explicitly, each with its reason, so that a changed default in the library does not
 * change our behaviour.
 */
import { Browsers, DEFAULT_CONNECTION_CONFIG, proto, type SocketConfig, type WAVersion } from '@whiskeysockets/baileys'
import type { makeSocket } from '@whiskeysockets/baileys/lib/Socket/socket.js'
import { SECOND } from '../../../../src/domain/clock.ts'
import type { NetworkOptions } from '../../../../src/engine/engine.ts'
import { NEVER } from '../../baileys/keep-alive.ts'
import type { NetworkRoute } from '../network-route.ts'

export type NetworkSocket = ReturnType<typeof makeSocket>

export interface SocketParts extends Pick<SocketConfig, 'auth' | 'logger' | 'makeSignalRepository'> {
  network: NetworkOptions
  route: NetworkRoute
  version: WAVersion
}

/** A plain browser name: the network answers 400 to a pairing code request from a device with any other name. */
export const BROWSER = Browsers.macOS('Chrome')

/**
 * Device type with which this browser registers (`Utils/validate-connection.js`, `getPlatformType`). The keys of a passkey ceremony are derived from
 * it.
 */
export const DEVICE_TYPE: number = proto.DeviceProps.PlatformType.CHROME

/**
 * The library's own timeout is disabled: with it, each outgoing frame creates two stack traces, an error and an unneeded timer, which is a tenth of
 * the cost of sending a text. `baileys/watchdog.ts` has the deadline from the first attempt to the login, and a frame that cannot be written fails
 * with its connection.
 */
const NO_CONNECT_TIMEOUT = 0
/**
 * The library's own timeout of a query. After it, the query resolves with undefined, which looks like success. Our deadlines are shorter
 * (`baileys/query.ts`), so this one only ends queries that are no longer awaited.
 */
const QUERY_TIMEOUT = 60 * SECOND

export function socketOptions(parts: SocketParts): SocketConfig {
  const { network, route } = parts
  return {
    ...DEFAULT_CONNECTION_CONFIG,
    auth: parts.auth,
    logger: parts.logger,
    version: parts.version,
    waWebSocketUrl: network.url ?? DEFAULT_CONNECTION_CONFIG.waWebSocketUrl,
    browser: BROWSER,
    connectTimeoutMs: NO_CONNECT_TIMEOUT,
    // Our own pings (`baileys/keep-alive.ts`) are used instead.
    keepAliveIntervalMs: NEVER,
    defaultQueryTimeoutMs: QUERY_TIMEOUT,
    syncFullHistory: false,
    // The socket only logs a warning if this is false for every kind; `receive/effects/history.ts` reads the history.
    shouldSyncHistoryMessage: () => false,
    makeSignalRepository: parts.makeSignalRepository,
    // Our repository writes sessions directly, so these retries only concern the library's other keys.
    transactionOpts: { maxCommitRetries: 10, delayBetweenTriesMs: 200 },
    countryCode: 'US',
    ...(route.agent ? { agent: route.agent } : {}),
  }
}
