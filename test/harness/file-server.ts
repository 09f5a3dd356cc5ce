/** A web server on loopback that serves files, correctly or with faults. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answer = (response: ServerResponse) => void

export interface FileServer {
  url: string
  put(path: string, bytes: Uint8Array, headers?: Record<string, string>): string
  redirect(path: string, hops?: number): string
  /** Serves a file whose second half is sent only after this number of ms. */
  slow(path: string, bytes: Uint8Array, ms: number): string
  /** Serves a file that never ends: one byte every `everyMs`. */
  drip(path: string, everyMs: number): string
  /** Serves `size` zero bytes. If `isTold`, the server declares this length in a header. */
  zeros(path: string, size: number, isTold: boolean): string
  answer(path: string, answer: Answer): string
  status(path: string, status: number): string
  stop(): Promise<void>
}

const PIECE = Buffer.alloc(64 * 1_024)

export async function serveFiles(): Promise<FileServer> {
  const answers = new Map<string, Answer>()
  const timers = new Set<NodeJS.Timeout>()
  const server = createServer((request, response) => {
    const answer = answers.get(request.url ?? '')
    if (answer) answer(response)
    else response.writeHead(404).end('nothing here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const give = (path: string, answer: Answer) => {
    answers.set(path, answer)
    return url + path
  }
  const later = (ms: number, work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timers.add(timer)
  }

  return {
    url,
    put: (path, bytes, headers = {}) =>
      give(path, (response) => response.writeHead(200, { 'content-length': bytes.byteLength, ...headers }).end(bytes)),
    redirect(path, hops = 1) {
      for (let hop = 1; hop <= hops; hop++)
        give(`/hop/${hop}${path}`, (response) =>
          response.writeHead(302, { location: hop === 1 ? path : `/hop/${hop - 1}${path}` }).end(),
        )
      return `${url}/hop/${hops}${path}`
    },
    slow: (path, bytes, ms) =>
      give(path, (response) => {
        const half = bytes.byteLength >> 1
        response.writeHead(200, { 'content-length': bytes.byteLength }).write(bytes.subarray(0, half))
        later(ms, () => response.end(bytes.subarray(half)))
      }),
    drip: (path, everyMs) =>
      give(path, (response) => {
        response.writeHead(200)
        const drop = () => {
          if (response.destroyed) return
          response.write('x')
          later(everyMs, drop)
        }
        drop()
      }),
    zeros: (path, size, isTold) =>
      give(path, (response) => {
        response.writeHead(200, isTold ? { 'content-length': size } : {})
        let left = size
        const pour = () => {
          while (left > 0) {
            if (response.destroyed) return
            const piece = PIECE.subarray(0, Math.min(left, PIECE.length))
            left -= piece.length
            if (!response.write(piece)) return void response.once('drain', pour)
          }
          response.end()
        }
        pour()
      }),
    answer: give,
    status: (path, status) => give(path, (response) => response.writeHead(status).end('no')),
    async stop() {
      for (const timer of timers) clearTimeout(timer)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
