/**
 * A client stops reading the event stream. The service must disconnect the client, and keep its events on disk up to a
 * limit. Other readers and the webhook must not wait for this client.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { type EventReader, readStream } from '../../harness/event-reader.ts'
import { parse, total } from '../../harness/prometheus.ts'
import { startGround, until } from '../ground.ts'
import { burstIds } from '../traffic.ts'

const PHONE = '5511999990000'
const FRIEND = '5511988880001'
/**
 * Number of texts. Their 24 MB exceed the operating system's buffers for a reader plus the 8 MB that the service keeps
 * for the readers of an instance.
 */
const TEXTS = 400
const TEXT = 'x'.repeat(60_000)
/**
 * Maximum number of events that fit into the buffers of a connection. On Linux, the usual limits of its two ends are 4
 * and 6 MB.
 */
const BUFFERED = 10_000_000 / TEXT.length

async function openAndStop(apiUrl: string): Promise<{ socket: Socket; beginning: string; closed: Promise<unknown> }> {
  const { hostname, port, pathname } = new URL(`${apiUrl}/events`)
  const socket = connect(Number(port), hostname)
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.on('error', () => {})
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`)
  let beginning = ''
  while (!beginning.includes('event: ready')) beginning += String((await once(socket, 'data'))[0])
  socket.pause()
  return { socket, beginning, closed }
}

const rssMb = (pid: number) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024

test('a reader that stops reading is cut and told of the gap; nobody else notices, and nothing is buffered for it', async (t) => {
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  const readers: EventReader[] = []
  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    await sandbox.createContact(FRIEND, { name: 'Friend' })
    const scrape = async () => parse(await (await fetch(`${gateway.baseUrl}/metrics`)).text())
    const numbers = async () => {
      const families = await scrape()
      const of = (name: string) => total(families, name, { reader: 'events' })
      return {
        open: of('svc_event_streams'),
        written: of('svc_event_stream_events_total'),
        cuts: of('svc_event_stream_cuts_total'),
        gaps: total(families, 'svc_event_stream_gaps_total'),
      }
    }
    const slow = await openAndStop(instance.api_url)
    const reader = await readStream(instance.api_url)
    readers.push(reader)
    await reader.waitFor('ready', ({ event }) => event === 'ready')
    assert.deepEqual(await numbers(), { open: 2, written: 2, cuts: 0, gaps: 0 })

    const rssBefore = rssMb(ground.service.child.pid!)
    const ids = new Set(burstIds(await sandbox.burst(FRIEND, PHONE, TEXTS, TEXT)))
    const missing = (seen: readonly Record<string, unknown>[]) => {
      const known = new Set(seen.map(({ message_id }) => message_id))
      return [...ids].filter((id) => !known.has(id)).length
    }
    await until('every text at the other reader', () => missing(reader.events.map(({ data }) => data)) === 0, 120_000)
    await until('every text at the webhook', () => missing(receiver.events('received')) === 0, 120_000)
    await until('the cut', async () => (await numbers()).cuts === 1)
    const after = await numbers()
    const forSlow = after.written - reader.events.length
    t.diagnostic(
      `${TEXTS} texts of ${TEXT.length / 1_000} kB; the slow reader was given ${forSlow} before it was cut; resident memory ` +
        `${rssBefore.toFixed(0)} MB before, ${rssMb(ground.service.child.pid!).toFixed(0)} MB after`,
    )
    assert.deepEqual([after.open, after.gaps], [1, 0])
    assert.ok(forSlow < BUFFERED, `${forSlow} events were written for a reader that reads nothing`)
    slow.socket.resume()
    await slow.closed

    const again = await readStream(instance.api_url, { after: /^id: (\S+)$/m.exec(slow.beginning)![1]! })
    readers.push(again)
    await again.waitFor('gap', ({ event }) => event === 'gap')
    assert.deepEqual(await numbers().then(({ open, gaps }) => [open, gaps]), [2, 1])
  } finally {
    await Promise.all(readers.map((each) => each.cut()))
    await ground.stop()
  }
})
