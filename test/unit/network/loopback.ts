/** Opens real sockets to servers on this machine, which send nothing by themselves. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { after, afterEach, before } from 'node:test'
import { initAuthCreds, NOISE_WA_HEADER, type SignalKeyStore } from '@whiskeysockets/baileys'
import pino from 'pino'
import { WebSocketServer } from 'ws'
import { createNoiseResponder, createTrust } from '../../../packages/sandbox/src/testing.ts'
import { createFrameWriter } from '../../../workers/shard/network/frames/frame-writer.ts'
import { createSplitter } from '../../../workers/shard/network/frames/splitter.ts'
import { createLoginCounts } from '../../../workers/shard/network/login/login-counts.ts'
import {
  type NetworkSocket,
  type NetworkSocketOptions,
  openNetworkSocket,
} from '../../../workers/shard/network/network-socket.ts'

export interface Server {
  url: string
  connected(): Promise<import('ws').WebSocket>
  close(): Promise<void>
}

type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Starts a server. Without `onUpgrade`, it accepts every WebSocket connection and sends nothing. */
export async function listen(onUpgrade?: OnUpgrade): Promise<Server> {
  const http = createServer((_, response) => response.writeHead(404).end())
  const sockets = new WebSocketServer({ noServer: true })
  const waiting: ((socket: import('ws').WebSocket) => void)[] = []
  http.on(
    'upgrade',
    onUpgrade ?? ((request, socket, head) => sockets.handleUpgrade(request, socket, head, (client) => waiting.shift()?.(client))),
  )
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}`,
    connected: () => new Promise((resolve) => waiting.push(resolve)),
    async close() {
      for (const client of sockets.clients) client.terminate()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

/** Certificate authority of the servers. The sockets trust its root. */
const authority = createTrust()

/**
 * Makes the server's side of the handshake, and then sends nothing. `later` returns the number of frames that arrived
 * after the handshake.
 */
export function answerHandshake(socket: import('ws').WebSocket): Promise<{ later(): number }> {
  const splitter = createSplitter()
  const { frame } = createFrameWriter(new Uint8Array(0))
  const responder = createNoiseResponder(authority)
  let hasBegun = false
  let frames = 0
  return new Promise((resolve) => {
    socket.on('message', (bytes: Buffer) => {
      splitter.push(hasBegun ? bytes : bytes.subarray(NOISE_WA_HEADER.length))
      hasBegun = true
      for (let received = splitter.next(); received !== undefined; received = splitter.next()) {
        frames++
        if (frames === 1) socket.send(frame(responder.hello(received).answer))
        if (frames !== 2) continue
        responder.finish(received)
        resolve({ later: () => frames - 2 })
      }
    })
  })
}

const noKeys: SignalKeyStore = { get: async () => ({}), set: async () => {} }

export function openSocket(url: string, creds = initAuthCreds(), more: Partial<NetworkSocketOptions> = {}): NetworkSocket {
  return openNetworkSocket({
    url,
    version: [2, 3000, 1],
    loginCounts: createLoginCounts(),
    trust: { root: authority.root, verify: 'strict', now: Date.now, log: () => {} },
    auth: { creds, keys: noKeys },
    makeSignalRepository: () => ({ close() {} }) as unknown as NetworkSocket['signalRepository'],
    saved: async () => {},
    onStalled: assert.ifError,
    onStray: () => {},
    log: pino({ level: 'silent' }),
    ...more,
  })
}

/** Resolves when the WebSocket is open. The server sends nothing, so the Noise handshake does not finish. */
export const isOpen = (sock: NetworkSocket) => (sock.ws.isOpen ? Promise.resolve() : once(sock.ws, 'open').then(() => {}))

/**
 * Starts one server for all tests of a file. The returned function opens a socket to the server, which is ended after
 * the test.
 */
export function silentServer(): () => Promise<NetworkSocket> {
  let server: Server
  const opened: NetworkSocket[] = []
  before(async () => {
    server = await listen()
  })
  afterEach(async () => {
    for (const sock of opened.splice(0)) await sock.end(undefined, 'abrupt')
  })
  after(() => server.close())
  return async () => {
    const sock = openSocket(server.url)
    opened.push(sock)
    await isOpen(sock)
    return sock
  }
}

export function closed(sock: NetworkSocket): Promise<Error | undefined> {
  return new Promise((resolve) => {
    sock.ev.on('connection.update', ({ connection, error }) => {
      if (connection === 'close') resolve(error)
    })
  })
}
