/**
 * Options of the library's socket. Every option is set explicitly, each with its reason, so that a changed default in the library does not change our
 * behaviour.
 */
import {
  Browsers,
  DEFAULT_CONNECTION_CONFIG,
  proto,
  type UserFacingSocketConfig,
  type WAMessageKey,
  type WAVersion,
} from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import type { NetworkOptions } from '../../../../src/engine/engine.ts'
import { NEVER } from '../../baileys/keep-alive.ts'
import type { NetworkRoute } from '../network-route.ts'

export interface SocketParts {
  auth: UserFacingSocketConfig['auth']
  logger: NonNullable<UserFacingSocketConfig['logger']>
  makeSignalRepository: NonNullable<UserFacingSocketConfig['makeSignalRepository']>
  getMessage(key: WAMessageKey): Promise<proto.IMessage | undefined>
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

export function socketOptions(parts: SocketParts): UserFacingSocketConfig {
  const { network, route } = parts
  return {
    auth: parts.auth,
    logger: parts.logger,
    version: parts.version,
    waWebSocketUrl: network.url ?? DEFAULT_CONNECTION_CONFIG.waWebSocketUrl,
    browser: BROWSER,
    connectTimeoutMs: NO_CONNECT_TIMEOUT,
    // Our own pings (`baileys/keep-alive.ts`) are used instead.
    keepAliveIntervalMs: NEVER,
    defaultQueryTimeoutMs: QUERY_TIMEOUT,
    // Being online would silence the phone's own notifications.
    markOnlineOnConnect: false,
    // The queue reports each send once, with its outcome; the library's echo would needlessly go through the inbound
    // mutex.
    emitOwnEvents: false,
    // Our own queries (`login-queries.ts`) are sent instead.
    fireInitQueries: false,
    syncFullHistory: false,
    // Our code reads the history in slices, and also app state, which the library would read after the history: `receive/effects/history.ts`,
    // `app-state/app-state-reader.ts`.
    shouldSyncHistoryMessage: () => false,
    shouldIgnoreJid: () => false,
    makeSignalRepository: parts.makeSignalRepository,
    getMessage: parts.getMessage,
    // If this were undefined, `sendMessage` would fetch the URL without a guard. Our own guarded fetch creates previews.
    generateHighQualityLinkPreview: false,
    linkPreviewImageThumbnailWidth: 192,
    // Our repository writes sessions directly, so these retries only concern the library's other keys.
    transactionOpts: { maxCommitRetries: 10, delayBetweenTriesMs: 200 },
    appStateMacVerification: { patch: true, snapshot: true },
    // Our code handles retry receipts in both directions (`retry/`) and stores the data for them.
    retryRequestDelayMs: 0,
    maxMsgRetryCount: 0,
    enableAutoSessionRecreation: false,
    enableRecentMessageCache: false,
    countryCode: 'US',
    customUploadHosts: [],
    patchMessageBeforeSending: (message) => message,
    ...(route.agent ? { agent: route.agent } : {}),
    fetchAgent: route.fetchAgent,
    options: route.fetchOptions,
  }
}
