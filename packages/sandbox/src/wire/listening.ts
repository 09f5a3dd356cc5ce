/** Opens and closes the listening sockets of the simulated network's HTTP servers. */
import type { Server } from 'node:net'

/** Resolves when the server listens on the port. Port 0 selects any free port. */
export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Stops the server and ends all connections, even if their requests are not answered yet. */
export function close(server: Server & { closeAllConnections(): void }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })
}
