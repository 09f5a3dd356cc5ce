/** Every option given to the library's socket, each with its reason: a default that changes upstream must not change us. */
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
  groupMetadata: NonNullable<UserFacingSocketConfig['cachedGroupMetadata']>
  userDevicesCache: NonNullable<UserFacingSocketConfig['userDevicesCache']>
  network: NetworkOptions
  route: NetworkRoute
  version: WAVersion
}

/** A plain browser name: the network answers 400 to a pairing code asked for by any other. */
export const BROWSER = Browsers.macOS('Chrome')

/** Kind of device that this browser registers as (`Utils/validate-connection.js`, `getPlatformType`). The keys of a passkey ceremony are derived with it. */
export const DEVICE_TYPE: number = proto.DeviceProps.PlatformType.CHROME

/**
 * The library's own time-out is off: with it, each outgoing frame makes two stack traces, an error and an unneeded timer, a tenth of the cost of a
 * text. `baileys/watchdog.ts` has the deadline from the first attempt to the login, and a frame that cannot be written fails with its connection.
 */
const NO_CONNECT_TIMEOUT = 0
/**
 * The library's own time-out of a query. The query then resolves with undefined, which reads like success: our deadlines are shorter
 * (`baileys/query.ts`), and this one only ends queries that are no longer awaited.
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
    // Ours asks in its place: `baileys/keep-alive.ts`.
    keepAliveIntervalMs: NEVER,
    defaultQueryTimeoutMs: QUERY_TIMEOUT,
    // Being online silences the phone's own notifications.
    markOnlineOnConnect: false,
    // Own sends are reported from the queue, once, with their outcome; the library's echo would go through the inbound mutex for nothing.
    emitOwnEvents: false,
    fireInitQueries: true,
    syncFullHistory: false,
    // Ours reads it, and app state, which the library would read behind it, each in pieces: `receive/effects/history.ts`,
    // `app-state/reading.ts`.
    shouldSyncHistoryMessage: () => false,
    shouldIgnoreJid: () => false,
    makeSignalRepository: parts.makeSignalRepository,
    getMessage: parts.getMessage,
    cachedGroupMetadata: parts.groupMetadata,
    // Undefined would make `sendMessage` fetch the URL without a guard; previews come from our own guarded fetch.
    generateHighQualityLinkPreview: false,
    linkPreviewImageThumbnailWidth: 192,
    // Sessions are ours: the repository writes them directly, so these retries only concern the library's other keys.
    transactionOpts: { maxCommitRetries: 10, delayBetweenTriesMs: 200 },
    appStateMacVerification: { patch: true, snapshot: true },
    // Retry receipts in both directions are ours (`retry/`), and so is what is kept for them.
    retryRequestDelayMs: 0,
    maxMsgRetryCount: 0,
    enableAutoSessionRecreation: false,
    enableRecentMessageCache: false,
    userDevicesCache: parts.userDevicesCache,
    countryCode: 'US',
    customUploadHosts: [],
    patchMessageBeforeSending: (message) => message,
    ...(route.agent ? { agent: route.agent } : {}),
    fetchAgent: route.fetchAgent,
    options: route.fetchOptions,
  }
}
