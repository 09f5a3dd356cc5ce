/**
 * A webhook receiver on loopback. It verifies every request with the packages `stripe`, `standardwebhooks` and `svix`
 * before it counts the request. A test can change its answer at any time.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createArrivals } from './arrivals.ts'
import { bundleOf } from './checkout.ts'

/**
 * The three packages have 160 modules, and nearly every test file has a receiver, so compiled tests load a bundle of
 * them.
 */
const { verify } = (await import(bundleOf('./signatures', import.meta.url).href)) as typeof import('./signatures.ts')

export interface Received {
  event: Record<string, unknown> & { type: string; event_id: string; instance_id: string; momment: number }
  headers: IncomingMessage['headers']
  at: number
}

type Reply = (received: Received, response: ServerResponse) => void

export interface Receiver {
  url: string
  /** Events of requests with a valid signature, in the order of arrival, including repeated deliveries. */
  readonly received: readonly Received[]
  /** Sentences about requests with an invalid signature, body or instance. They make the test fail. */
  readonly problems: readonly string[]
  trust(instance: string, secret: string): void
  /** Resolves with the first event that fits, which may arrive before or after this call. */
  waitFor(what: string, fits: (event: Received['event']) => boolean, ms?: number): Promise<Received['event']>
  reply(reply: Reply | null): void
  events(type?: string): Received['event'][]
  stop(): Promise<void>
}

/**
 * Longest wait in ms for the secret of an instance that is not known yet. The service gives up an attempt after 10 s.
 */
const STRANGER = 8_000

interface Parked {
  instance: string
  body: Buffer
  headers: IncomingMessage['headers']
  at: number
}

export async function startReceiver(): Promise<Receiver> {
  const received = createArrivals<Received>((all) => all.map(({ event }) => summary(event)).join(', '))
  const problems: string[] = []
  const secrets = new Map<string, string>()
  const strangers = new Set<() => void>()
  /**
   * Requests of instances whose secret was not known within `STRANGER` ms. They were answered with 200 without being
   * verified, and are verified when the secret is known.
   */
  let parked: Parked[] = []
  let answer: Reply | null = null
  /** Each receiver has its own path, because requests for an earlier test may still arrive at the same port. */
  const path = `/hook/${randomUUID()}`

  /**
   * Returns the secret of an instance. Waits for the secret if necessary: the first events of an instance arrive before
   * the answer that contains the secret.
   */
  function secretOf(instance: string): Promise<string | undefined> | string {
    const known = secrets.get(instance)
    if (known !== undefined) return known
    return new Promise((resolve) => {
      const look = () => {
        if (!secrets.has(instance)) return
        clearTimeout(timer)
        strangers.delete(look)
        resolve(secrets.get(instance))
      }
      const timer = setTimeout(() => {
        strangers.delete(look)
        resolve(undefined)
      }, STRANGER)
      strangers.add(look)
    })
  }

  /** Verifies a request, and returns its event. Returns undefined if the signature is not valid. */
  function accept({ body, headers, at }: Omit<Parked, 'instance'>, secret: string): Received | undefined {
    try {
      verify(body, headers, secret)
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
      return undefined
    }
    const entry = { event: JSON.parse(body.toString()) as Received['event'], headers, at }
    received.add(entry)
    return entry
  }

  const server = createServer((request, response) => {
    if (request.url !== path) {
      response.writeHead(404).end()
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const { headers } = request
      const body = Buffer.concat(chunks)
      const instance = String(headers['x-svc-instance-id'] ?? '')
      const secret = await secretOf(instance)
      if (secret === undefined) {
        parked.push({ instance, body, headers, at: Date.now() })
        response.writeHead(200).end()
        return
      }
      const entry = accept({ body, headers, at: Date.now() }, secret)
      if (entry && answer) answer(entry, response)
      else response.writeHead(entry ? 200 : 400).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}${path}`,
    received: received.items,
    problems,
    trust(instance, secret) {
      secrets.set(instance, secret)
      const own = parked.filter((each) => each.instance === instance)
      parked = parked.filter((each) => each.instance !== instance)
      for (const each of own) accept(each, secret)
      for (const look of [...strangers]) look()
    },
    reply(reply) {
      answer = reply
    },
    events: (type) => received.items.map(({ event }) => event).filter((event) => type === undefined || event.type === type),
    waitFor: async (what, fits, ms) => (await received.waitFor(what, ({ event }) => fits(event), ms)).event,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      for (const { instance } of parked) problems.push(`an event of an unknown instance ${instance}`)
    },
  }
}

const summary = ({ type, status, ids, message_id }: Record<string, unknown>) =>
  `${type}:${status ?? ''}:${ids ?? message_id ?? ''}`
