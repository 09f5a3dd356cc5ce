/**
 * If TEST_THROUGH_STANDBY is 1, the requests of the contract tests reach the application through a standby: over HTTP,
 * the link between two services, and both of their servers.
 */
import { once } from 'node:events'
import { request as ask, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { createLog } from '../../src/log.ts'
import { createTally } from '../../src/metrics/tally.ts'
import { openPeerLink } from '../../src/peer/peer-link.ts'
import { listen } from '../../src/serve.ts'
import { freePort } from '../faults/ground.ts'

export interface Asked {
  fetch(request: Request): Response | Promise<Response>
  request(input: string | Request, init?: RequestInit): Response | Promise<Response>
}

export const isThroughStandby = process.env.TEST_THROUGH_STANDBY === '1'

const HOST = '127.0.0.1'
const NO_BODY: ReadonlySet<number> = new Set([204, 304])
/** Paths that each service answers itself. A standby does not pass these requests on. */
const OF_PROCESS = /^\/(health\/|metrics)/

export async function throughStandby(app: Pick<Asked, 'fetch'>) {
  const log = createLog({ level: 'warn' }, 'link')
  async function open() {
    const server = await listen({ host: HOST, port: 0 })
    const port = await freePort()
    const tally = createTally()
    return {
      server,
      port,
      tally,
      link: await openPeerLink({ host: HOST, port, secretKey: new Uint8Array(32), server, tally, log }),
    }
  }
  const [active, standby] = [await open(), await open()]
  active.server.serve(() => ({ fetch: (request) => app.fetch(request) }))
  active.link.setOwnId('active')
  standby.link.setActive({ id: 'active', host: HOST, port: active.port })

  async function request(input: string | Request, init?: RequestInit): Promise<Response> {
    const asked = new Request(input, init)
    const { pathname, search, host } = new URL(asked.url)
    const { server } = OF_PROCESS.test(pathname) ? active : standby
    const body = asked.body === null ? undefined : Buffer.from(await asked.arrayBuffer())
    const headers = { host, ...Object.fromEntries(asked.headers) }
    const sent = ask(server.url + pathname + search, { method: asked.method, headers, signal: asked.signal })
    sent.on('error', () => {})
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const given = new Headers()
    for (let at = 0; at < answer.rawHeaders.length; at += 2) given.append(answer.rawHeaders[at]!, answer.rawHeaders[at + 1]!)
    const status = answer.statusCode!
    const stream = NO_BODY.has(status) || asked.method === 'HEAD' ? null : (Readable.toWeb(answer) as ReadableStream)
    if (stream === null) answer.resume()
    return new Response(stream, { status, headers: given })
  }

  return {
    fetch: app.fetch,
    request,
    async close() {
      process.stdout.write(`# passed on: ${JSON.stringify(Object.fromEntries(standby.tally.numbers()))}\n`)
      for (const { link, server } of [standby, active]) {
        await link.close()
        await server.close()
      }
    },
  }
}
