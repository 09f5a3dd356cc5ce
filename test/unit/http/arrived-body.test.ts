/**
 * Tests that a request body is read in the same way however it arrives: with the head of the request, after it, in
 * pieces, or together with the next request.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { discardBody, receiveBody, wholeOf } from '../../../src/http/body.ts'
import { createBodyBudget } from '../../../src/http/body-budget.ts'
import { listen } from '../../../src/serve.ts'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Starts a server whose answers contain the body that it received, and how it was read: `whole` or `streamed`. The
 * server answers `/refused` without reading the body.
 */
async function echo(work: (ask: (...written: (string | number)[]) => Promise<string[]>) => Promise<void>) {
  const server = await listen({ host: '127.0.0.1', port: 0 })
  server.serve(({ source }) => ({
    async fetch(request) {
      if (request.url.endsWith('/refused')) {
        await wait(1)
        discardBody(request, source)
        return new Response('refused', { status: 403 })
      }
      let how = 'streamed'
      const noted: typeof source = {
        ...source,
        arrived(of) {
          const bytes = source.arrived(of)
          if (bytes !== undefined) how = 'whole'
          return bytes
        },
      }
      const bytes = await wholeOf(await receiveBody(request, createBodyBudget().lease('a'), noted))
      discardBody(request, source)
      return new Response(`${how} ${Buffer.from(bytes).toString()}`, { headers: { 'Content-Type': 'text/plain' } })
    },
  }))
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  await once(socket, 'connect')
  let text = ''
  socket.on('data', (piece) => {
    text += String(piece)
  })
  try {
    /** Writes texts to the connection. A number is a pause in ms. Resolves with the bodies of all answers. */
    await work(async (...written) => {
      text = ''
      const heads = written.join('').match(/POST /g)!.length
      for (const each of written) {
        if (typeof each === 'number') await wait(each)
        else socket.write(each)
      }
      const bodies = () =>
        text
          .split('HTTP/1.1 ')
          .slice(1)
          .map((answer) => answer.split('\r\n\r\n')[1] ?? '')
      while (bodies().filter((body) => body !== '').length < heads) await wait(1)
      return bodies()
    })
  } finally {
    socket.destroy()
    await server.stop(0)
  }
}

const head = (length: number, path = '/') =>
  `POST ${path} HTTP/1.1\r\nHost: gw.test\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
const chunked = 'POST / HTTP/1.1\r\nHost: gw.test\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'

test('with its head it is taken whole, behind it as a stream; each request on a connection has its own', () =>
  echo(async (ask) => {
    assert.deepEqual(await ask(`${head(7)}{"a":1}`), ['whole {"a":1}'])
    assert.deepEqual(await ask(head(7), 20, '{"a":2}'), ['streamed {"a":2}'])
    assert.deepEqual(await ask(`${head(7)}{"a`, 20, '":3}'), ['streamed {"a":3}'])
    assert.deepEqual(await ask(`${head(7)}{"a":4}${head(7)}{"a":5}`), ['whole {"a":4}', 'whole {"a":5}'])
    assert.deepEqual(await ask(`${chunked}3\r\n{"a\r\n4\r\n":6}\r\n0\r\n\r\n`, 20), ['streamed {"a":6}'])
    assert.deepEqual(await ask(`${head(0)}`), ['whole '])
    assert.deepEqual(await ask(`${head(7)}{"a":7}`), ['whole {"a":7}'])
  }))

test('one that nobody reads is thrown away, and the connection goes on', () =>
  echo(async (ask) => {
    assert.deepEqual(await ask(`${head(7, '/refused')}{"a":1}`), ['refused'])
    assert.deepEqual(await ask(head(7, '/refused'), 20, '{"a":2}'), ['refused'])
    assert.deepEqual(await ask(`${head(7)}{"a":3}`), ['whole {"a":3}'])
  }))
