/**
 * The socket of one linked device: its queries, the login or the pairing, and the close. Every received stanza is also
 * emitted as `frame` on `ws`.
 */
import { EventEmitter } from 'node:events'
import {
  type AuthenticationCreds,
  type AuthenticationState,
  type BinaryNode,
  generateMdTagPrefix,
  getCodeFromWSError,
  type SignalKeyStoreWithTransaction,
} from '@whiskeysockets/baileys'
import type { WebSocketClient } from '@whiskeysockets/baileys/lib/Socket/Client/websocket.js'
import type { Logger } from 'pino'
import { deferred } from '../../../src/lib/deferred.ts'
import { createKeyedMutex } from '../../../src/lib/keyed-mutex.ts'
import { libraryLogger } from '../baileys/logger.ts'
import { asError } from '../baileys/thread/rejections.ts'
import { escalateTrap } from '../baileys/thread/trap.ts'
import type { MakeSignalRepository, SignalRepository } from '../keys/signal/signal-repository.ts'
import { CONNECTION_CLOSED } from '../wire/connection-end.ts'
import { lidAnswer, lidQuery } from '../wire/lid-query.ts'
import { lidOfLogin } from '../wire/login.ts'
import { isPairSuccess } from '../wire/pair-device.ts'
import { newName } from '../wire/presence.ts'
import { routingInfoIn } from '../wire/routing-info.ts'
import { endOf, endReason } from './end-reason.ts'
import { login } from './login/login.ts'
import { createOneTimeKeys } from './login/one-time-keys.ts'
import { createPairingCompletion } from './login/pairing-completion.ts'
import { createUnifiedSessions } from './login/unified-sessions.ts'
import { createQueries } from './queries.ts'
import { openTransport, type TransportOptions } from './transport.ts'

export interface ConnectionUpdate {
  /** `open`: the account is logged in, and its first queries have ended. `close`: the socket has ended. */
  connection?: 'open' | 'close'
  /** Reason of the end; undefined if it was intended. */
  error?: Error | undefined
  /** True when the device has just been linked. The network then expects a login on a new connection. */
  isNewLogin?: true
}

export interface SocketEvents {
  'connection.update': [ConnectionUpdate]
  /**
   * Fields of the credentials that have changed. The socket has already changed the credentials object, so a listener
   * only saves it. This event may also be emitted after the end of the socket.
   */
  'creds.update': [Partial<AuthenticationCreds>]
}

export interface NetworkSocket {
  readonly ws: WebSocketClient
  readonly ev: EventEmitter<SocketEvents>
  readonly authState: { creds: AuthenticationCreds; keys: SignalKeyStoreWithTransaction }
  readonly signalRepository: SignalRepository
  generateMessageTag(): string
  /** Resolves when the network has accepted the login of the device. Rejects if the socket ends first. */
  readonly loggedIn: Promise<void>
  /** Rejects with `instance_not_connected` during the handshake, and with another error without a connection. */
  sendNode(node: BinaryNode): Promise<void>
  /**
   * Sends a query, and resolves with the answer. Rejects with `send_timeout`, with `QueryRefused`, like `sendNode`, or
   * with another Error if the connection has ended.
   */
  query(node: BinaryNode, deadlineMs?: number): Promise<BinaryNode>
  uploadPreKeys(): Promise<void>
  /** Tells the network that the account becomes active, as the web client does. */
  sendUnifiedSession(): void
  /** Ends the socket as if the network had closed the connection. */
  cut(): void
  /**
   * Resolves when the connection is closed; a second call is allowed. With `abrupt` (the server is silent or not
   * trusted) the connection is closed without waiting for the server.
   */
  end(reason?: Error, how?: 'clean' | 'abrupt'): Promise<void>
}

export interface NetworkSocketOptions
  extends Pick<TransportOptions, 'url' | 'agent' | 'version' | 'loginCounts' | 'trust' | 'confirmOwner' | 'isHeld'> {
  auth: AuthenticationState
  makeSignalRepository: MakeSignalRepository
  saved(): Promise<void>
  /** Called when a frame could not be read. The socket receives nothing further, so it must be ended. */
  onStalled(error: Error): void
  onStray(error: unknown): void
  log: Logger
}

/**
 * Number of listeners of an event above which Node warns of a leak. Many parts of a session listen to
 * `connection.update`.
 */
const LISTENERS = 20

/** A step whose failure ends the socket. A failure because the socket has already ended is not logged. */
interface Step {
  /** Log line of the failure. */
  sentence: string
  /** How the socket is ended. */
  how: 'clean' | 'abrupt'
}

/** The server may not be trusted, so the socket does not wait for it to close the connection. */
const HANDSHAKE: Step = { sentence: 'the handshake with the network failed', how: 'abrupt' }
const PAIRING: Step = { sentence: 'the pairing could not be completed', how: 'clean' }

export function openNetworkSocket(options: NetworkSocketOptions): NetworkSocket {
  const { onStray, saved, log } = options
  const { creds } = options.auth
  const keys = withTransactions(options.auth.keys)
  const ev = new EventEmitter<SocketEvents>()
  ev.setMaxListeners(LISTENERS)
  const transport = openTransport({ ...options, creds, onNode: received, onBroken: stalled, onFailed: failed(HANDSHAKE) })
  const { ws, send: sendNode } = transport
  const generateMessageTag = createTags()
  let isLoggedIn = false
  const accepted = deferred()
  // Usually nobody waits for `loggedIn`. Without this handler, its rejection would then be unhandled.
  accepted.promise.catch(() => {})
  let ending: Promise<void> | undefined

  const queries = createQueries({ send: sendNode, tag: generateMessageTag })
  const { query } = queries
  const signalRepository = options.makeSignalRepository({ creds, keys }, libraryLogger(log), async (pns) =>
    lidAnswer(await query(lidQuery(pns, generateMessageTag()))),
  )
  const activity = createUnifiedSessions({ ws, sendNode, onStray: stray })
  const completePairing = createPairingCompletion({ creds, sendNode, linked: announceLink, saved, onStray: stray })
  const oneTimeKeys = createOneTimeKeys({ creds, keys, query, changed: (update) => ev.emit('creds.update', update), saved, log })

  function stray(error: unknown) {
    escalateTrap(error)
    onStray(error)
  }

  function failed({ sentence, how }: Step) {
    return (error: unknown) => {
      escalateTrap(error)
      if (ending) return
      log.warn({ err: error }, sentence)
      void end(asError(error), how)
    }
  }

  async function loggedIn(node: BinaryNode) {
    activity.learnTime(node)
    isLoggedIn = true
    accepted.resolve()
    await login({ query, oneTimeKeys, log })
    if (ending) return
    const lid = lidOfLogin(node)
    ev.emit('creds.update', { me: { ...creds.me!, ...(lid ? { lid } : {}) } })
    ev.emit('connection.update', { connection: 'open' })
    activity.send()
  }

  function announceLink(update: Partial<AuthenticationCreds>) {
    ev.emit('creds.update', update)
    ev.emit('connection.update', { isNewLogin: true })
  }

  async function linked(node: BinaryNode) {
    activity.learnTime(node)
    await completePairing(node)
    activity.send()
  }

  function received(node: BinaryNode) {
    queries.came(node)
    if (node.tag === 'success') loggedIn(node).catch(stray)
    if (isPairSuccess(node) && !creds.account) linked(node).catch(failed(PAIRING))
    const routingInfo = routingInfoIn(node)
    if (routingInfo) ev.emit('creds.update', { routingInfo })
    ws.emit('frame', node)
    const reason = endOf(node)
    if (reason) void end(reason)
  }

  function stalled(thrown: unknown) {
    const error = asError(thrown)
    escalateTrap(error)
    options.onStalled(error)
  }

  function end(reason?: Error, how: 'clean' | 'abrupt' = 'clean'): Promise<void> {
    ending ??= close(reason)
    if (how === 'abrupt') transport.cut()
    return ending
  }

  async function close(error: Error | undefined): Promise<void> {
    queries.end()
    accepted.reject(endReason('Connection Closed', CONNECTION_CLOSED))
    signalRepository.close?.()
    await transport.close()
    reportEnd(ev, error, stray)
  }

  ev.on('creds.update', (update) => {
    const name = update.me?.name
    const isRenamed = name !== undefined && name !== creds.me?.name
    Object.assign(creds, update)
    if (isRenamed && isLoggedIn && ws.isOpen) sendNode(newName(name)).catch(stray)
  })
  ws.on('error', (error: Error) => void end(endReason(`WebSocket Error (${error.message})`, getCodeFromWSError(error), error)))
  ws.on('close', () => void end(endReason('Connection Terminated', CONNECTION_CLOSED)))

  return {
    ws,
    ev,
    authState: { creds, keys },
    signalRepository,
    generateMessageTag,
    loggedIn: accepted.promise,
    sendNode,
    query,
    uploadPreKeys: oneTimeKeys.upload,
    sendUnifiedSession: activity.send,
    cut: transport.cut,
    end,
  }
}

/**
 * Reports the end to every listener, even if one of them throws. The listeners of other events stay, because the
 * credentials may change after the end, and must then be saved.
 */
function reportEnd(ev: EventEmitter<SocketEvents>, error: Error | undefined, onThrown: (thrown: unknown) => void): void {
  for (const listener of ev.listeners('connection.update')) {
    try {
      listener({ connection: 'close', error })
    } catch (thrown) {
      onThrown(thrown)
    }
  }
  ev.removeAllListeners('connection.update')
}

/** Returns a function that returns a new id for a stanza. */
function createTags(): () => string {
  const prefix = generateMdTagPrefix()
  let count = 0
  return () => `${prefix}${++count}`
}

/**
 * Adds the method `transaction`, which the library calls. Nothing is rolled back: a transaction only excludes others of
 * the same name.
 */
function withTransactions(keys: AuthenticationState['keys']): SignalKeyStoreWithTransaction {
  const { run } = createKeyedMutex()
  return { ...keys, isInTransaction: () => false, transaction: (work, name) => run(name, work) }
}
