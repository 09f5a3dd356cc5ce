import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { ServerEvent } from '../../../src/domain/server-events.ts'
import { eventStream, eventText } from '../../../src/http/event-stream.ts'
import { createTally, keyOf } from '../../../src/metrics/tally.ts'
import { listen } from '../../../src/serve.ts'

test('an event is written as readers of server-sent events take it', () => {
  assert.equal(eventText({ data: '{"a":1}' }), 'data: {"a":1}\n\n')
  assert.equal(eventText({ event: 'gap', id: '01', data: 'x' }), 'event: gap\nid: 01\ndata: x\n\n')
  assert.equal(eventText({ data: 'one\ntwo\r\nthree\rfour' }), 'data: one\ndata: two\ndata: three\ndata: four\n\n')
  assert.equal(eventText({ comment: 'still here' }), ': still here\n\n')
  assert.equal(eventText({ retryMs: 2_000 }), 'retry: 2000\n\n')
})

async function serve(source: (signal: AbortSignal) => AsyncIterable<ServerEvent>, stalledMs = 300) {
  let told: () => void
  const ended = new Promise<void>((resolve) => {
    told = resolve
  })
  const tally = createTally()
  const server = await listen({ host: '127.0.0.1', port: 0 })
  server.serve(({ cut }) => ({
    fetch: (request) =>
      eventStream(
        (signal) => {
          signal.addEventListener('abort', () => told())
          return source(signal)
        },
        { cut: () => cut(request), gone: request.signal, reader: 'events', tally, stalledMs },
      ),
  }))
  const counted = () => ({
    events: tally.numbers().get(keyOf('svc_event_stream_events_total', { reader: 'events' })) ?? 0,
    cuts: tally.numbers().get(keyOf('svc_event_stream_cuts_total', { reader: 'events' })) ?? 0,
  })
  return { server, ended, url: server.url, counted }
}

test('a reader that takes nothing is cut, and what waits for it is bounded', async () => {
  let asked = 0
  const { server, ended, url, counted } = await serve(async function* () {
    for (;;) {
      asked++
      yield { data: 'x'.repeat(64 * 1_024) }
    }
  })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.on('error', () => {})
  socket.write('GET /events HTTP/1.1\r\nHost: gw.test\r\n\r\n')
  socket.pause()
  await ended
  // 400 events do not fit into the operating system's buffers at both ends of the connection.
  assert.ok(asked < 400, `${asked} events were asked for`)
  assert.deepEqual(counted(), { events: asked, cuts: 1 })
  socket.resume()
  await closed
  await server.stop(1_000)
})

test('the source hears that its reader has gone, also while it has nothing to say', async () => {
  const { server, ended, url } = await serve(async function* (signal) {
    yield { data: 'first' }
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  })
  const leaving = new AbortController()
  const { headers, body } = await fetch(url, { signal: leaving.signal })
  assert.equal(headers.get('Content-Type'), 'text/event-stream')
  assert.equal(headers.get('Cache-Control'), 'no-store')
  const { value } = await body!.getReader().read()
  assert.equal(new TextDecoder().decode(value), 'data: first\n\n')
  leaving.abort()
  await ended
  await server.stop(1_000)
})

test('a source that ends ends the answer', async () => {
  const { server, ended, url, counted } = await serve(async function* () {
    yield { data: 'one' }
    yield { comment: 'and' }
    yield { data: 'two' }
  })
  const answer = await fetch(url)
  assert.equal(await answer.text(), 'data: one\n\n: and\n\ndata: two\n\n')
  await ended
  assert.deepEqual(counted(), { events: 2, cuts: 0 })
  await server.stop(1_000)
})
