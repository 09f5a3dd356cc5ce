/** A way to a server of this machine that can be closed: what is open ends, and nothing new gets through until it is opened again. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Relay {
  url: string
  close(): void
  open(): void
  stop(): Promise<void>
}

export async function startRelay(to: string): Promise<Relay> {
  const port = Number(new URL(to).port)
  const sockets = new Set<Socket>()
  let isClosed = false

  function hold(socket: Socket) {
    sockets.add(socket)
    // A socket that is cut has an error to tell, which is what was wanted.
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((near) => {
    hold(near)
    if (isClosed) return near.destroy()
    const far = connect(port, '127.0.0.1')
    hold(far)
    near.pipe(far).pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      isClosed = true
      end()
    },
    open() {
      isClosed = false
    },
    async stop() {
      end()
      server.close()
      await once(server, 'close')
    },
  }
}
