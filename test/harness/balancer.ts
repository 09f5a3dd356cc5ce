/**
 * A load balancer that knows nothing of instances, in front of several services. It asks `/health/ready` of each one, and
 * sends each request to the next service that is ready, as the balancers in `deploy/` do.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { ask } from './http.ts'

export interface Balancer {
  url: string
  add(url: string): void
  stop(): Promise<void>
}

/** Interval in ms between two checks whether a service is ready. */
const ASK_EVERY = 200
const ASK_LIMIT = 2_000
/**
 * Milliseconds for which the balancer keeps an idle connection. The client should close first: a request that is on its
 * way when the balancer closes would be lost.
 */
const KEPT_OPEN = 75_000

interface Target {
  url: string
  isReady: boolean
}

const isReady = ({ url }: Target): Promise<boolean> =>
  Promise.race([
    ask('GET', `${url}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    ),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), ASK_LIMIT).unref()),
  ])

export async function startBalancer(port: number): Promise<Balancer> {
  const targets: Target[] = []
  let turn = 0
  const timer = setInterval(() => {
    for (const target of targets)
      void isReady(target).then((ready) => {
        target.isReady = ready
      })
  }, ASK_EVERY)

  const next = (tried: ReadonlySet<Target>) => {
    const left = targets.filter((target) => target.isReady && !tried.has(target))
    return left[turn++ % left.length]
  }

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming)
    const tried = new Set<Target>()
    for (;;) {
      const target = next(tried)
      if (target === undefined) return refuse(outgoing, tried.size > 0)
      tried.add(target)
      const ending = await attempt(target, { incoming, outgoing, body })
      if (ending === 'passed') return
      // Like HAProxy, the balancer sends a request to another service only if it could not connect to this one.
      if (ending === 'lost') return void outgoing.destroy()
      target.isReady = false
    }
  }

  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy())
  })
  server.keepAliveTimeout = KEPT_OPEN
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${port}`,
    add: (url) => void targets.push({ url, isReady: false }),
    async stop() {
      clearInterval(timer)
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function refuse(outgoing: ServerResponse, wasTried: boolean): void {
  const error = { code: 'engine_unavailable', message: 'No service is ready.', details: { reason: 'balancer', wasTried } }
  outgoing.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' }).end(JSON.stringify({ error }))
}

/** Prints which request was lost, because a caller only sees that its connection has ended. */
function note({ method, url }: IncomingMessage, service: string, error: Error): void {
  // Only the last part of the path is printed, because the path of an instance contains its token.
  process.stdout.write(`# a request was lost at ${service}: ${method} ${url?.split('/').at(-1)}: ${error.message}\n`)
}

interface Passed {
  incoming: IncomingMessage
  outgoing: ServerResponse
  body: Buffer
}

function attempt({ url }: Target, { incoming, outgoing, body }: Passed): Promise<'passed' | 'unsent' | 'lost'> {
  return new Promise((resolve) => {
    const { method, headers } = incoming
    const sent = request(`${url}${incoming.url}`, { method, headers, agent: false })
    let isConnected = false
    sent.on('socket', (socket) =>
      socket.once('connect', () => {
        isConnected = true
      }),
    )
    sent.on('error', (error) => {
      if (isConnected && !outgoing.destroyed) note(incoming, url, error)
      resolve(isConnected ? 'lost' : 'unsent')
    })
    sent.on('response', (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
      response.on('error', (error) => {
        note(incoming, url, error)
        outgoing.destroy()
      })
      response.on('end', () => resolve('passed'))
    })
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) sent.destroy()
    })
    sent.end(body)
  })
}
