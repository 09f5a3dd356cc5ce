/** Opens and closes the listening sockets of the simulated network's HTTP servers. */
import type { Server } from 'node:net'

/** Resolves when the port is bound; 0 takes a free one. */
export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Ends all connections, also those whose requests still wait. */
export function close(server: Server & { closeAllConnections(): void }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })
}
