/**
 * A proxy in front of an S3 server. It can make the server appear unreachable, slow or full, or refuse all credentials.
 */
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * State of the proxy:
 * - `well`: requests reach the server.
 * - `away`: connections are cut.
 * - `slow`: each request waits before it reaches the server.
 * - `full`: only reads reach the server; every other request is refused, as if the disk were full.
 * - `refusing`: no credential is accepted.
 */
export type Mood = 'well' | 'away' | 'slow' | 'full' | 'refusing'

export interface S3Proxy {
  endpoint: string
  mood: Mood
  readonly asked: Record<Mood, number>
  stop(): Promise<void>
}

const SLOW = 400

const errorOf = (code: string) => `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`

export async function startS3Proxy(server: string): Promise<S3Proxy> {
  const { hostname, port } = new URL(server)
  const asked: Record<Mood, number> = { well: 0, away: 0, slow: 0, full: 0, refusing: 0 }
  const proxy = createServer((request, response) => {
    const { mood } = state
    asked[mood]++
    const answer = (status: number, code: string) => {
      request.resume()
      request.once('end', () => response.writeHead(status, { 'content-type': 'application/xml' }).end(errorOf(code)))
    }
    if (mood === 'away') return void request.socket.destroy()
    if (mood === 'refusing') return answer(403, 'AccessDenied')
    if (mood === 'full' && request.method !== 'GET' && request.method !== 'HEAD') return answer(507, 'InsufficientCapacity')
    const { method, url: path, headers } = request
    const forward = () => {
      const onward = ask({ hostname, port, method, path, headers }, (answered) => {
        response.writeHead(answered.statusCode!, answered.headers)
        answered.pipe(response)
      })
      onward.once('error', () => response.destroy())
      request.pipe(onward)
    }
    if (mood === 'slow') setTimeout(forward, SLOW)
    else forward()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const state: S3Proxy = {
    endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    mood: 'well',
    asked,
    async stop() {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
  return state
}
