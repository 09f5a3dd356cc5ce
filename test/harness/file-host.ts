/** A simulated media host of the network, with TLS and its own certificate authority. The test chooses the answers. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueServerCertificate, openAuthority } from '../../packages/sandbox/src/testing.ts'
import type { NetworkOptions } from '../../src/engine/engine.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

export interface HostileHost {
  network: NetworkOptions
  asked: string[]
  answer(answer: Answer): string
  stop(): Promise<void>
}

export async function startHostileHost(): Promise<HostileHost> {
  const authority = await openAuthority(undefined)
  const dir = await mkdtemp(join(tmpdir(), 'svc-file-host-'))
  const ca = join(dir, 'ca.pem')
  await writeFile(ca, authority.certificate)
  const answers = new Map<string, Answer>()
  const asked: string[] = []
  const server = createServer(await issueServerCertificate(authority), (request, response) => {
    asked.push(request.url ?? '')
    const answer = answers.get(request.url ?? '')
    if (answer) answer(response, request)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const mediaHost = `127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    network: { url: null, root: null, ca, mediaHost, verify: 'strict' },
    asked,
    answer(answer) {
      const path = `/v/${answers.size}`
      answers.set(path, answer)
      return path
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/**
 * Writes pieces of 64 KB for as long as the client reads, until at least `most` bytes are written. Resolves at the end
 * of the connection with the number of bytes written.
 */
export function pour(response: ServerResponse, most = Number.POSITIVE_INFINITY): Promise<number> {
  const piece = Buffer.alloc(65_536, 7)
  let written = 0
  return new Promise((resolve) => {
    response.once('close', () => resolve(written))
    const more = () => {
      while (!response.destroyed && written < most) {
        written += piece.length
        if (!response.write(piece)) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  })
}
