/**
 * A simulated cable to a server on this machine. A test can make it silent in one or both directions, so that all bytes
 * arrive late but none is lost, or connect it to another server.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** `there` is the direction to the server, `back` the direction from the server. */
export type Direction = 'there' | 'back'

export interface Cable {
  port: number
  /**
   * Makes the cable silent in these directions: bytes, and the ends of connections, arrive only after the silence.
   * Without a direction, the silence ends.
   */
  silence(...directions: Direction[]): void
  /** Ends all connections. New connections are passed on to this server. */
  leadTo(server: NetConnectOpts): void
  /** Refuses connections from now on, as a machine does on which no server listens. */
  close(): Promise<void>
  open(): Promise<void>
}

/** Starts an open cable. `at`: the address at which it listens, by default any free port. */
export async function startCable(to: NetConnectOpts, at = { host: '127.0.0.1', port: 0 }): Promise<Cable> {
  let target = to
  let silent: Direction[] = []
  const sources = new Map<Socket, Direction>()

  /**
   * Reads a socket, unless its direction is silent. A socket that is not read does not notice that the other process
   * has ended its connection.
   */
  function read(socket: Socket, direction: Direction): void {
    if (silent.includes(direction)) socket.pause()
    else socket.resume()
  }

  function pass(from: Socket, into: Socket, direction: Direction): void {
    sources.set(from, direction)
    from.on('data', (bytes) => {
      if (!into.write(bytes)) from.pause()
    })
    into.on('drain', () => read(from, direction))
    from.on('error', () => {})
    from.on('close', () => {
      sources.delete(from)
      into.destroySoon()
    })
    read(from, direction)
  }

  const server = createServer((near) => {
    const far = connect(target)
    pass(near, far, 'there')
    pass(far, near, 'back')
  })
  async function open(port: number) {
    server.listen(port, at.host)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const cut = () => {
    for (const socket of sources.keys()) socket.destroy()
  }

  const port = await open(at.port)
  return {
    port,
    silence(...directions) {
      silent = directions
      for (const [socket, direction] of sources) read(socket, direction)
    },
    leadTo(next) {
      target = next
      cut()
    },
    async open() {
      if (!server.listening) await open(port)
    },
    async close() {
      if (!server.listening) return
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
