/**
 * The encrypted connection of a socket: the WebSocket, the handshake, and then the stanzas that arrive. The library contributes the Noise protocol.
 */
import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Agent } from 'node:https'
import {
  type AuthenticationCreds,
  type BinaryNode,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  makeNoiseHandler,
  type SocketConfig,
  type WAVersion,
} from '@whiskeysockets/baileys'
import { NOISE_WA_HEADER } from '@whiskeysockets/baileys/lib/Defaults/index.js'
import { WebSocketClient } from '@whiskeysockets/baileys/lib/Socket/Client/websocket.js'
import { SECOND } from '../../../src/domain/clock.ts'
import '../baileys/thread/curve.ts'
import { awaitReadKey } from '../baileys/thread/read-key.ts'
import { CONNECTION_CLOSED } from '../wire/connection-end.ts'
import { nodeBytes } from '../wire/node-bytes.ts'
import { corkPerTurn } from './cork.ts'
import { endReason } from './end-reason.ts'
import { createFrameReader, type FrameReader } from './frames/frame-reader.ts'
import { createSplitter } from './frames/splitter.ts'
import { type HandshakeDeps, shakeHands } from './handshake.ts'
import type { LoginCounts } from './login-counts.ts'

export interface TransportOptions extends Pick<HandshakeDeps, 'confirmOwner'> {
  url: string
  agent?: Agent | undefined
  version: WAVersion
  creds: AuthenticationCreds
  loginCounts: LoginCounts
  logger: SocketConfig['logger']
  /** Asked before each frame. If it answers false, the connection is cut instead. Absent if no other process can run the account. */
  isHeld?: (() => boolean) | undefined
  onNode(node: BinaryNode): void
  /** Called when a frame could not be decrypted or decoded. Nothing further is received. */
  onBroken(error: unknown): void
  /** Called when the handshake has failed. */
  onFailed(error: unknown): void
}

export interface Transport {
  readonly ws: WebSocketClient
  send(node: BinaryNode): Promise<void>
  /** Stops reading and closes the connection. Resolves when it is closed, at the latest after a short time limit. */
  close(): Promise<void>
  cut(): void
}

/** Time limit of a clean close. A server that answers the close does so within one round trip, but `ws` itself would wait for 30 s. */
const CLEAN_CLOSE_DEADLINE = 3 * SECOND
/** Value of `readyState` of a closed WebSocket. */
const CLOSED = 3

export function openTransport(options: TransportOptions): Transport {
  const { creds, logger, isHeld = () => true, onNode, onBroken, onFailed } = options
  const ephemeral = Curve.generateKeyPair()
  const noise = makeNoiseHandler({
    keyPair: ephemeral,
    NOISE_HEADER: NOISE_WA_HEADER,
    logger,
    routingInfo: creds.routingInfo,
  })
  const ws = openWebSocket(options)
  const raw = rawSocket(ws)
  let reader: FrameReader | undefined

  function write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const isOurs = isHeld()
      if (!isOurs) raw.terminate()
      if (!isOurs || !ws.isOpen) return reject(endReason('Connection Closed', CONNECTION_CLOSED))
      ws.send(noise.encodeFrame(bytes), (error) => (error ? reject(error) : resolve()))
    })
  }

  const stopWaiting = awaitReadKey(creds.noiseKey.private, (key) => {
    reader = createFrameReader(key, { onNode, onBroken, onBusy: (isBusy) => (isBusy ? raw.pause() : raw.resume()) })
  })
  const hello = firstFrame(ws, () => reader)
  ws.on('open', () => void shakeHands({ ...options, noise, ephemeral, write, hello }).catch(onFailed))

  return {
    ws,
    send: async (node) => write(nodeBytes(node)),
    close() {
      stopWaiting()
      reader?.end()
      ws.removeAllListeners()
      // Without a listener for `error`, an emitter throws. After the end of the connection, errors are ignored.
      ws.on('error', () => {})
      return closed(raw)
    },
    cut: () => raw.terminate(),
  }
}

/** Resolves with the first frame of the server. When the handshake has ended, `reader` returns the frame reader, and all bytes go to it. */
function firstFrame(ws: WebSocketClient, reader: () => FrameReader | undefined): Promise<Buffer> {
  const splitter = createSplitter()
  return new Promise((resolve) => {
    ws.on('message', (bytes: Buffer) => {
      const reading = reader()
      if (reading) return reading.push(bytes)
      splitter.push(bytes)
      const frame = splitter.next()
      if (frame) resolve(frame)
    })
  })
}

function openWebSocket({ url, agent }: Pick<TransportOptions, 'url' | 'agent'>): WebSocketClient {
  // The two time limits of the library are switched off, because `watchdog.ts` limits the time from the first attempt to connect until the login.
  const config = { ...DEFAULT_CONNECTION_CONFIG, connectTimeoutMs: 0, ...(agent ? { agent } : {}) }
  const ws = new WebSocketClient(new URL(url), config as SocketConfig)
  // The event `upgrade` is emitted before the first write to the socket.
  ws.on('upgrade', ({ socket }: IncomingMessage) => corkPerTurn(socket))
  ws.connect()
  return ws
}

interface RawSocket extends EventEmitter {
  readonly readyState: number
  close(): void
  terminate(): void
  /** Stops reading from the connection until `resume`. Both functions have no effect on a connection that is not open. */
  pause(): void
  resume(): void
}

/** Returns the `ws` object inside the library's wrapper, whose type hides it. */
const rawSocket = (ws: WebSocketClient): RawSocket => (ws as unknown as { socket: RawSocket }).socket

/**
 * Closes the connection; cuts it if it is not closed within the time limit. `once` of `node:events` is not used, because it rejects if `error` is
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
