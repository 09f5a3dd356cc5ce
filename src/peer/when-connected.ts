import type { ClientRequest } from 'node:http'
import type { TLSSocket } from 'node:tls'

/**
 * Calls `begin` when the request has a connection whose handshake is complete. Nothing of the request is sent earlier.
 */
export function whenConnected(request: ClientRequest, begin: () => void): void {
  request.once('socket', (socket) => {
    if (socket.connecting || (socket as TLSSocket & { secureConnecting?: boolean }).secureConnecting)
      socket.once('secureConnect', begin)
    else begin()
  })
}
