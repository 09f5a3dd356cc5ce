/**
 * The encrypted connection of a socket: the WebSocket, the handshake, and then the stanzas that are sent and received.
 */
import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Agent } from 'node:https'
import { type BinaryNode, DEFAULT_CONNECTION_CONFIG, type SocketConfig } from '@whiskeysockets/baileys'
import { NOISE_WA_HEADER } from '@whiskeysockets/baileys/lib/Defaults/index.js'
import { WebSocketClient } from '@whiskeysockets/baileys/lib/Socket/Client/websocket.js'
import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { type Deferred, deferred } from '../../../src/lib/deferred.ts'
import { CONNECTION_CLOSED } from '../wire/connection-end.ts'
import { nodeBytes } from '../wire/node-bytes.ts'
import { corkPerTurn } from './cork.ts'
import { endReason } from './end-reason.ts'
import { createFrameReader, type FrameReader } from './frames/frame-reader.ts'
import { createFrameWriter, introductionOf } from './frames/frame-writer.ts'
import { createSplitter } from './frames/splitter.ts'
import { type HandshakeDeps, shakeHands } from './noise/handshake.ts'
import type { FrameKeys } from './noise/symmetric-state.ts'

export interface TransportOptions extends Pick<HandshakeDeps, 'version' | 'creds' | 'loginCounts' | 'trust' | 'confirmOwner'> {
  url: string
  agent?: Agent | undefined
  /**
   * Called before each frame. If it returns false, this process no longer runs the account: the frame is not sent, and
   * the connection is cut. Absent if no other process can run the account.
   */
  isHeld?: (() => boolean) | undefined
  onNode(node: BinaryNode): void
  /** Called when a frame cannot be decrypted or decoded. No later frame is received. */
  onBroken(error: unknown): void
  /** Called when the handshake fails, even if the reason is the end of the connection. */
  onFailed(error: unknown): void
}

export interface Transport {
  readonly ws: WebSocketClient
  /**
   * Sends a stanza. Rejects with `instance_not_connected` during the handshake, because a stanza is never sent
   * unencrypted, and with another error if the WebSocket is not open.
   */
  send(node: BinaryNode): Promise<void>
  /** Resolves when the connection is closed, at the latest after a short time limit. */
  close(): Promise<void>
  cut(): void
}

/**
 * Time limit of a clean close in ms. A server answers a close within one round trip, but `ws` itself would wait for 30
 * s.
 */
const CLEAN_CLOSE_DEADLINE = 3 * SECOND
/** Value of `readyState` of a closed WebSocket. */
const CLOSED = 3

export function openTransport(options: TransportOptions): Transport {
  const { creds, isHeld = () => true, onNode, onBroken, onFailed } = options
  const ws = openWebSocket(options)
  const raw = rawSocket(ws)
  const writer = createFrameWriter(introductionOf(NOISE_WA_HEADER, creds.routingInfo))
  /** Absent until the handshake has ended. */
  let reader: FrameReader | undefined

  function write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const isOurs = isHeld()
      if (!isOurs) raw.terminate()
      if (!isOurs || !ws.isOpen) return reject(connectionClosed())
      ws.send(writer.frame(bytes), (error) => (error ? reject(error) : resolve()))
    })
  }

  function onKeys({ sent, received }: FrameKeys) {
    writer.encryptWith(sent)
    reader = createFrameReader(received, { onNode, onBroken, onBusy: (isBusy) => (isBusy ? raw.pause() : raw.resume()) })
  }

  const hello = firstFrame(ws, () => reader)
  const handshake = { ...options, prologue: NOISE_WA_HEADER, write, hello: hello.promise, onKeys }
  ws.on('open', () => void shakeHands(handshake).catch(onFailed))

  return {
    ws,
    async send(node) {
      if (ws.isOpen && !reader) throw new Failure('instance_not_connected')
      await write(nodeBytes(node))
    },
    close() {
      reader?.end()
      ws.removeAllListeners()
      // The socket is being closed, so its errors are ignored. Without a listener for `error`, an emitter throws.
      ws.on('error', () => {})
      hello.reject(connectionClosed())
      return closed(raw)
    },
    cut: () => raw.terminate(),
  }
}

const connectionClosed = () => endReason('Connection Closed', CONNECTION_CLOSED)

/** Resolves with the first frame of the server. After the handshake, all bytes are passed to the frame reader. */
function firstFrame(ws: WebSocketClient, reader: () => FrameReader | undefined): Deferred<Buffer> {
  const splitter = createSplitter()
  const first = deferred<Buffer>()
  // A connection may end before it is open. Then nobody waits for the frame, and its rejection would be unhandled.
  first.promise.catch(() => {})
  ws.on('message', (bytes: Buffer) => {
    const reading = reader()
    if (reading) return reading.push(bytes)
    splitter.push(bytes)
    const frame = splitter.next()
    if (frame) first.resolve(frame)
  })
  return first
}

function openWebSocket({ url, agent }: Pick<TransportOptions, 'url' | 'agent'>): WebSocketClient {
  // The library's time limit is switched off, because `watchdog.ts` limits the time until the login.
  const config = { ...DEFAULT_CONNECTION_CONFIG, connectTimeoutMs: 0, ...(agent ? { agent } : {}) }
  const ws = new WebSocketClient(new URL(url), config as SocketConfig)
  // The event `upgrade` is emitted before the first frame is written, so the writes of all frames are corked.
  ws.on('upgrade', ({ socket }: IncomingMessage) => corkPerTurn(socket))
  ws.connect()
  return ws
}

interface RawSocket extends EventEmitter {
  readonly readyState: number
  close(): void
  terminate(): void
  /** Has no effect on a connection that is not open. */
  pause(): void
  resume(): void
}

/** Returns the `ws` object, which the type of the library's wrapper hides. */
const rawSocket = (ws: WebSocketClient): RawSocket => (ws as unknown as { socket: RawSocket }).socket

/**
 * Closes a connection, and cuts it if it is not closed in time. `once` of `node:events` would reject if `error` is
 * emitted first.
 */
async function closed(raw: RawSocket): Promise<void> {
  if (raw.readyState === CLOSED) return
  const isClosed = new Promise<void>((resolve) => void raw.once('close', () => resolve()))
  const timer = setTimeout(() => raw.terminate(), CLEAN_CLOSE_DEADLINE)
  raw.close()
  await isClosed
  clearTimeout(timer)
}
