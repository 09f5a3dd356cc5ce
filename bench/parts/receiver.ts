/**
 * Process of a bench that receives webhooks, counts them by type, counts the repeated ones, and measures the delay of
 * texts that contain the time when they were sent (`stamp.ts`).
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerCalls } from './calls.ts'
import { summary } from './numbers.ts'
import { epoch, leftAt } from './stamp.ts'

interface Seen {
  count: number
  /** Times of the first and of the last event, in epoch ms. */
  first: number
  last: number
}

const seen = new Map<string, Seen>()
const ids = new Set<string>()
let repeats = 0
const latencies: number[] = []
const stamps = { first: Number.POSITIVE_INFINITY, last: 0 }
const waiting = new Set<() => void>()
const EVENT_ID = /"event_id":"(\w+)"/
const TYPE = /"type":"(\w+)"/
const STATUS = /"status":"(\w+)"/

function take(body: string) {
  const type = TYPE.exec(body)?.[1] ?? 'none'
  const now = epoch()
  const id = EVENT_ID.exec(body)?.[1]
  if (id !== undefined && ids.has(id)) repeats++
  else if (id !== undefined) ids.add(id)
  // `message_status` events are counted separately for each status, because one text has several of these events.
  const name = type === 'message_status' ? `${type} ${STATUS.exec(body)?.[1]}` : type
  const entry = seen.get(name)
  if (entry === undefined) seen.set(name, { count: 1, first: now, last: now })
  else {
    entry.count++
    entry.last = now
  }
  const left = type === 'received' ? leftAt(body) : undefined
  if (left !== undefined) {
    latencies.push(now - left)
    stamps.first = Math.min(stamps.first, left)
    stamps.last = Math.max(stamps.last, left)
  }
  for (const look of waiting) look()
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    response.end()
    take(Buffer.concat(chunks).toString())
  })
})
server.keepAliveTimeout = 60_000

const calls = {
  open: async (): Promise<string> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  },
  reset() {
    seen.clear()
    ids.clear()
    repeats = 0
    latencies.length = 0
    stamps.first = Number.POSITIVE_INFINITY
    stamps.last = 0
  },
  /** Resolves when this number of each kind of event has arrived. Rejects if no event arrives for `idleMs` ms. */
  until: (wanted: Record<string, number>, idleMs = 30_000) =>
    new Promise<Record<string, Seen>>((resolve, reject) => {
      const isThere = () => Object.entries(wanted).every(([type, count]) => (seen.get(type)?.count ?? 0) >= count)
      const end = (act: () => void) => {
        clearTimeout(timer)
        waiting.delete(look)
        act()
      }
      const late = () =>
        end(() => reject(new Error(`${JSON.stringify(wanted)} wanted, there is ${JSON.stringify(Object.fromEntries(seen))}`)))
      const timer = setTimeout(late, idleMs)
      const look = () => {
        timer.refresh()
        if (isThere()) end(() => resolve(Object.fromEntries(seen)))
      }
      waiting.add(look)
      look()
    }),
  counts: () => Object.fromEntries(seen),
  /** Returns the number of events since the reset that had the id of an earlier one. */
  repeats: () => repeats,
  latency: () => ({ ...summary(latencies), left_within_ms: stamps.last - stamps.first }),
}
export type Receiver = typeof calls
answerCalls(calls)
