/**
 * A relay that passes connections on to a server on this machine. When it is closed, it ends every open connection.
 * A closed relay breaks new connections, or answers each with 502, like a reverse proxy whose server is down.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Relay {
  url: string
  close(as?: 'cut' | 'bad gateway'): void
  open(): void
  stop(): Promise<void>
}

/** Scripts of every origin may read this answer, so that a browser reports the status 502 and not only a failure. */
const BAD_GATEWAY = [
  'HTTP/1.1 502 Bad Gateway',
  'Access-Control-Allow-Origin: *',
  'Access-Control-Allow-Headers: *',
  'Content-Type: text/html',
  'Content-Length: 20',
  'Connection: close',
  '',
  '<h1>Bad Gateway</h1>',
].join('\r\n')

export async function startRelay(to: string): Promise<Relay> {
  const port = Number(new URL(to).port)
  const sockets = new Set<Socket>()
  let closed: 'cut' | 'bad gateway' | undefined

  function hold(socket: Socket) {
    sockets.add(socket)
    // A socket that breaks emits an error. This is expected here, so errors are ignored.
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((near): unknown => {
    hold(near)
    if (closed === 'cut') return near.destroy()
    if (closed !== undefined) return near.once('data', () => near.end(BAD_GATEWAY))
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
    close(as = 'cut') {
      closed = as
      end()
    },
    open() {
      closed = undefined
    },
    async stop() {
      end()
      server.close()
      await once(server, 'close')
    },
  }
}
