/** Process with the webhook receivers of `webhooks.ts`. Each kind of receiver has its own port. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeTime } from 'ulid'
import { answerCalls } from './calls.ts'
import { type Summary, summary } from './numbers.ts'

const KINDS = ['answers', 'slow', 'huge', 'hangs', 'closes', 'redirects'] as const
export type Kind = (typeof KINDS)[number]

interface KindReport {
  posts: number
  accepted: number
  repeats: number
  /** Number of accepted events whose text has a lower number than an earlier text of the same instance. */
  outOfOrder: number
}
interface Measured extends KindReport {
  /** Latency of each accepted event in ms: from its creation (the time in its id) to the request. */
  latency: number[]
}

const SLOW_MS = 1_000
const HUGE = Buffer.alloc(64 * 1_024, 'x')

let isBroken = false
const empty = (): Measured => ({ posts: 0, accepted: 0, repeats: 0, outOfOrder: 0, latency: [] })
const reports = Object.fromEntries(KINDS.map((kind) => [kind, empty()])) as Record<Kind, Measured>
const seen = new Set<string>()
const last = new Map<string, number>()

function accept(kind: Kind, body: string, at: number) {
  const { event_id, instance_id, text } = JSON.parse(body) as { event_id: string; instance_id: string; text: { message: string } }
  const report = reports[kind]
  if (seen.has(event_id)) {
    report.repeats++
    return
  }
  seen.add(event_id)
  report.accepted++
  report.latency.push(at - decodeTime(event_id))
  const number = Number(/\d+$/.exec(text.message)![0])
  if (number < (last.get(instance_id) ?? 0)) report.outOfOrder++
  last.set(instance_id, Math.max(number, last.get(instance_id) ?? 0))
}

/** Sends an answer that never ends, so the service has to abort it. */
function pour(response: ServerResponse) {
  response.writeHead(200)
  const write = () => {
    while (!response.destroyed && response.write(HUGE));
  }
  response.on('drain', write)
  write()
}

function answer(kind: Kind, request: IncomingMessage, response: ServerResponse, body: string, at: number) {
  const ok = () => {
    accept(kind, body, at)
    response.writeHead(200).end()
  }
  if (!isBroken) return ok()
  switch (kind) {
    case 'answers':
      return ok()
    case 'slow':
      return void setTimeout(ok, SLOW_MS)
    case 'huge':
      accept(kind, body, at)
      return pour(response)
    case 'hangs':
      return
    case 'closes':
      return void request.socket.destroy()
    case 'redirects':
      return void response.writeHead(302, { location: '/elsewhere' }).end()
    default:
      return kind satisfies never
  }
}

async function open(kind: Kind): Promise<string> {
  const server = createServer((request, response) => {
    const at = Date.now()
    reports[kind].posts++
    const chunks: Buffer[] = []
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => answer(kind, request, response, Buffer.concat(chunks).toString(), at))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${kind}`
}

const calls = {
  open: async () =>
    Object.fromEntries(await Promise.all(KINDS.map(async (kind) => [kind, await open(kind)]))) as Record<Kind, string>,
  /**
   * Switches all receivers: if `value` is true, each does what the name of its kind says; otherwise all of them answer.
   */
  setBroken(value: boolean) {
    isBroken = value
    if (value) last.clear()
  },
  accepted: () => Object.fromEntries(KINDS.map((kind) => [kind, reports[kind].accepted])) as Record<Kind, number>,
  report() {
    const made = Object.fromEntries(KINDS.map((kind) => [kind, { ...reports[kind], latency: summary(reports[kind].latency) }]))
    for (const kind of KINDS) reports[kind] = empty()
    return made as Record<Kind, KindReport & { latency: Summary }>
  },
}
export type WebhookReceivers = typeof calls
answerCalls(calls)
