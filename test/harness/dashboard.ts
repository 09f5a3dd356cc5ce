/**
 * A client of the dashboard's API that behaves like the page of the dashboard: session cookie, headers and the stream
 * of events.
 */
import assert from 'node:assert/strict'
import { createArrivals } from './arrivals.ts'
import { ask, must } from './http.ts'

export interface LiveEvent {
  id: string | null
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape.
  data: any
}

export interface LiveStream {
  readonly events: readonly LiveEvent[]
  /** Resolves with the first event that fits, which may arrive before or after this call. */
  waitFor(what: string, fits: (event: LiveEvent) => boolean): Promise<LiveEvent>
  lastId(): string
  readonly ended: Promise<void>
  cut(): void
}

const HEADER = 'X-Svc-Dashboard'

export async function signIn(baseUrl: string, adminKey: string) {
  const base = `${baseUrl}/dashboard`
  const { status, headers, body } = await ask<{ proof: string }>(
    'POST',
    `${base}/session`,
    { admin_key: adminKey },
    { [HEADER]: '1' },
  )
  assert.equal(status, 201, JSON.stringify(body))
  const cookie = headers.get('set-cookie')!.split(';')[0]!
  const signedIn = { [HEADER]: body.proof, cookie }

  return {
    base,
    cookie,
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
    ask: (method: string, path: string, input?: unknown) => ask<any>(method, `${base}/${path}`, input, signedIn),
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
    must: (method: string, path: string, input?: unknown) => must<any>(method, `${base}/${path}`, input, signedIn),
    live: (lastEventId?: string) =>
      openStream(`${base}/api/live`, { ...signedIn, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) }),
  }
}
export type Dashboard = Awaited<ReturnType<typeof signIn>>

async function openStream(url: string, headers: Record<string, string>): Promise<LiveStream> {
  const cut = new AbortController()
  const response = await fetch(url, { headers, signal: cut.signal })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  const arrivals = createArrivals<LiveEvent>((all) => JSON.stringify(all.slice(-20)))

  async function read() {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body!) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
      rest = parts.pop()!
      arrivals.add(...parts.flatMap(parse))
    }
  }
  const ended = read().catch((error: Error) => {
    if (!cut.signal.aborted) throw error
  })

  return {
    events: arrivals.items,
    ended,
    lastId: () => arrivals.items.findLast(({ id }) => id !== null)!.id!,
    cut: () => cut.abort(),
    waitFor: (what, fits) => arrivals.waitFor(what, fits),
  }
}

function parse(block: string): LiveEvent[] {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? null
  const event = field('event')
  return event === null ? [] : [{ id: field('id'), event, data: JSON.parse(field('data')!) }]
}
