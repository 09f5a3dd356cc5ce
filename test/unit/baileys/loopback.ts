/** Connects real sockets of the library to servers on loopback. Each server has one behaviour. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { after, afterEach, before } from 'node:test'
import '../../../workers/shard/baileys/thread/first.ts'
import {
  DEFAULT_CONNECTION_CONFIG,
  initAuthCreds,
  makeWASocket,
  type SignalKeyStore,
  type WASocket,
} from '@whiskeysockets/baileys'
import pino from 'pino'
import { WebSocketServer } from 'ws'
import { adoptSocket, endSocket } from '../../../workers/shard/baileys/end.ts'

export interface Server {
  url: string
  /** Resolves with the next WebSocket connection. */
  connected(): Promise<import('ws').WebSocket>
  close(): Promise<void>
}

type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Starts a server. Without `onUpgrade` it accepts every connection and sends nothing. */
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

const noKeys: SignalKeyStore = { get: async () => ({}), set: async () => {} }

export function openSocket(url: string, creds = initAuthCreds()): WASocket {
  return makeWASocket({
    ...DEFAULT_CONNECTION_CONFIG,
    waWebSocketUrl: url,
    auth: { creds, keys: noKeys },
    logger: pino({ level: 'silent' }),
  })
}

/**
 * Starts a server that sends nothing, for the tests of a file. Returns a function that opens a socket to the server;
 * the socket is ended after its test.
 */
export function silentServer(): () => Promise<WASocket> {
  let server: Server
  const opened: WASocket[] = []
  before(async () => {
    server = await listen()
  })
  afterEach(async () => {
    for (const sock of opened.splice(0)) await endSocket(sock, undefined, 'abrupt')
  })
  after(() => server.close())
  return async () => {
    const sock = openSocket(server.url)
    opened.push(sock)
    adoptSocket(sock)
    await sock.waitForSocketOpen()
    return sock
  }
}

export function closed(sock: WASocket): Promise<Error | undefined> {
  return new Promise((resolve) => {
    sock.ev.on('connection.update', ({ connection, lastDisconnect }) => {
      if (connection === 'close') resolve(lastDisconnect?.error)
    })
  })
}
