import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { forgetPairing } from './code-pairings.ts'
import { acceptConnection, type ConnectionEvents } from './connection.ts'
import { leave, login } from './login.ts'
import type { Connection, Network } from './model.ts'
import { offerPairing } from './pairing.ts'
import { endCeremony } from './passkey-ceremony.ts'
import { receiveStanza } from './stanzas.ts'

export const PATH = '/ws/chat'

export interface NetworkServer {
  port: number
  stop(): Promise<void>
}

function refuse(socket: Duplex, status: number) {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

export async function startServer(network: Network, port: number): Promise<NetworkServer> {
  // Open connections, including those that have not become WebSockets. They are closed when the server stops.
  const sockets = new Set<Duplex>()
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const server = createServer((_request, response) => response.writeHead(426).end())
  const events: ConnectionEvents = {
    handshake(connection, client) {
      if (client.payload.username) login(network, connection, client)
      else offerPairing(network, connection, client)
    },
    stanza: (connection, item) => receiveStanza(network, connection, item),
    closed(connection: Connection) {
      forgetPairing(network, connection)
      endCeremony(connection)
      leave(connection)
    },
  }

  function accept(request: IncomingMessage, socket: Duplex, head: Buffer) {
    webSockets.handleUpgrade(request, socket, head, (client) => acceptConnection(network, client, socket, events))
  }

  server.on('connection', (socket) => {
    if (network.isDown) return socket.destroy()
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Until the ws package takes over the socket, nothing else handles the errors of the socket.
    socket.on('error', () => socket.destroy())
    const action = network.faults.take('connect', { path: request.url })
    if (action === 'drop') return
    if (action === 'cut') return socket.destroy()
    if (typeof action === 'object' && 'http_status' in action) return refuse(socket, action.http_status)
    if (typeof action === 'object' && 'delay_ms' in action)
      return network.later(action.delay_ms, () => accept(request, socket, head))
    accept(request, socket, head)
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise<void>((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())))
      for (const connection of [...network.connections]) connection.cut()
      for (const socket of sockets) socket.destroy()
      webSockets.close()
      await closed
    },
  }
}
