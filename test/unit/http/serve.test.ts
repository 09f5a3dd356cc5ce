import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { listen } from '../../../src/serve.ts'

async function said(written: string): Promise<{ status: number; head: string; body: string }> {
  const server = await listen({ host: '127.0.0.1', port: 0 })
  server.serve(() => ({ fetch: (request) => new Response(`reached ${new URL(request.url).pathname}`) }))
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  try {
    let text = ''
    socket.on('data', (piece) => {
      text += String(piece)
    })
    socket.write(written)
    await once(socket, 'close')
    const [head = '', body = ''] = text.split('\r\n\r\n')
    return { status: Number(head.split(' ')[1]), head, body }
  } finally {
    socket.destroy()
    await server.stop(0)
  }
}

test('what is no request of HTTP is refused as everything is: with a code, and an id', async () => {
  for (const request of [
    'GET /status HTTP/1.1\r\nHost: a b\r\n\r\n',
    'GET /status HTTP/1.1\r\nHost: evil.example/x?y\r\n\r\n',
    'GET /status HTTP/1.1\r\nHost: user@gw.test\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: gw.test\r\n\r\n',
    'GET /a\\b HTTP/1.1\r\nHost: gw.test\r\n\r\n',
  ]) {
    const { status, head, body } = await said(request)
    assert.equal(status, 400, request)
    assert.match(head, /^x-request-id: [0-9A-Z]{26}$/im)
    assert.equal(JSON.parse(body).error.code, 'invalid_request')
  }
})

test('HTTP/1.0 needs no Host: a balancer that asks so is answered', async () => {
  for (const host of ['', 'Host:\r\n']) {
    const { status, body } = await said(`GET /health/ready HTTP/1.0\r\n${host}\r\n`)
    assert.deepEqual([status, body], [200, 'reached /health/ready'])
  }
})
