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
import type { Outside } from '../network-route.ts'

export interface SocketParts {
  auth: UserFacingSocketConfig['auth']
  logger: NonNullable<UserFacingSocketConfig['logger']>
  makeSignalRepository: NonNullable<UserFacingSocketConfig['makeSignalRepository']>
  getMessage(key: WAMessageKey): Promise<proto.IMessage | undefined>
  groupMetadata: NonNullable<UserFacingSocketConfig['cachedGroupMetadata']>
  userDevicesCache: NonNullable<UserFacingSocketConfig['userDevicesCache']>
  network: NetworkOptions
  outside: Outside
  version: WAVersion
}

/** Time for TCP, TLS and the upgrade, and for each step of the handshake. */
const CONNECT_TIMEOUT = 20 * SECOND
/** Ping interval; a link without any traffic for this and 5 s more is given up with 408. As the official client. */
const KEEP_ALIVE = 30 * SECOND
/**
 * The library's own time-out of a query. It resolves with undefined then, which reads like success: ours are shorter (`baileys/query.ts`),
 * this one only ends what nobody waits for any more.
 */
const QUERY_TIMEOUT = 60 * SECOND

export function socketOptions(parts: SocketParts): UserFacingSocketConfig {
  const { network, outside } = parts
  return {
    auth: parts.auth,
    logger: parts.logger,
    version: parts.version,
    waWebSocketUrl: network.url ?? DEFAULT_CONNECTION_CONFIG.waWebSocketUrl,
    // A plain browser name: the network answers 400 to a pairing code asked for by any other (instance.md, phoneCode).
    browser: Browsers.macOS('Chrome'),
    connectTimeoutMs: CONNECT_TIMEOUT,
    keepAliveIntervalMs: KEEP_ALIVE,
    defaultQueryTimeoutMs: QUERY_TIMEOUT,
    // Unset: 60 s for the first code, 20 s for the next ones, which `expires_at` promises.
    // Being online silences the phone's own notifications.
    markOnlineOnConnect: false,
    // Own sends are reported from the queue, once, with their outcome; the library's echo would go through the inbound mutex for nothing.
    emitOwnEvents: false,
    fireInitQueries: true,
    syncFullHistory: false,
    // The last weeks, which carry the names and LIDs of chats; not the years before.
    shouldSyncHistoryMessage: ({ syncType }) => syncType !== proto.HistorySync.HistorySyncType.FULL,
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
    ...(outside.agent ? { agent: outside.agent } : {}),
    fetchAgent: outside.fetchAgent,
    options: outside.fetchOptions,
  }
}
