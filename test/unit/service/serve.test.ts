import assert from 'node:assert/strict'
import { on } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { listen } from '../../../src/serve.ts'
import { openService } from '../../contract/http/service.ts'

async function start() {
  let arrived!: () => void
  let answer!: () => void
  const waiting = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const told = new Promise<void>((resolve) => {
    answer = resolve
  })
  const server = await listen({ host: '127.0.0.1', port: 0 })
  server.serve(({ peer }) => ({
    async fetch(asked) {
      if (!asked.url.endsWith('/slow')) return new Response(peer(asked))
      arrived()
      await told
      return new Response('late but whole')
    },
  }))
  return { server, waiting, answer }
}

interface Got {
  status: number
  body: string
  requestId: string | undefined
}

function get(url: string, agent?: Agent, headers: Record<string, string> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    request(url, agent ? { agent, headers } : { headers }, (response) => {
      const requestId = response.headers['x-request-id'] as string | undefined
      text(response).then((body) => resolve({ status: response.statusCode!, body, requestId }), reject)
    })
      .on('error', reject)
      .end()
  })
}

test('the application learns the address a request came from', async () => {
  const { server } = await start()
  const { status, body } = await get(`${server.url}/`)
  assert.deepEqual([status, body], [200, '127.0.0.1'])
  await server.stop(1_000)
})

test('a stop waits for the answer in flight, and refuses what comes meanwhile', async () => {
  const { server, waiting, answer } = await start()
  const keepAlive = new Agent({ keepAlive: true, maxSockets: 1 })
  await get(`${server.url}/`, keepAlive)
  const slow = get(`${server.url}/slow`)
  await waiting
  const stopped = server.stop(10_000)
  const refused = await get(`${server.url}/`, keepAlive)
  assert.equal(refused.status, 503)
  assert.equal(JSON.parse(refused.body).error.code, 'engine_unavailable')
  assert.match(refused.requestId ?? '', /^[0-9A-Z]{26}$/, 'as on every response')
  assert.equal((await get(`${server.url}/`, undefined, { 'X-Request-Id': 'my-id_7' })).requestId, 'my-id_7')
  answer()
  const { status, body } = await slow
  assert.deepEqual([status, body], [200, 'late but whole'])
  await stopped
  await assert.rejects(get(`${server.url}/`, new Agent()), { code: 'ECONNREFUSED' })
  keepAlive.destroy()
})

test('an answer that never comes does not hold the stop beyond its deadline', async () => {
  const { server, waiting } = await start()
  const slow = assert.rejects(get(`${server.url}/slow`))
  await waiting
  await server.stop(50)
  await slow
})

test('a port that is taken is named in one sentence', async () => {
  const { server } = await start()
  const port = Number(new URL(server.url).port)
  await assert.rejects(listen({ host: '127.0.0.1', port }), {
    message: `The service cannot listen on 127.0.0.1 port ${port}: another program listens there (SVC_HOST, SVC_PORT).`,
  })
  await server.stop(1_000)
})

test('an answer that comes before the body has come is not lost with the rest of it', async (t) => {
  const service = await openService()
  t.after(() => service.close())
  const server = await listen({ host: '127.0.0.1', port: 0 })
  server.serve(() => service.app)
  t.after(() => server.stop(0))
  const { base } = await service.newInstance()
  const piece = Buffer.alloc(1_048_576, ' ')
  const head = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
  const refusals: [name: string, path: string, status: number][] = [
    ['nobody looked at the body', base.replace(/[0-9a-f]{48}/, '0'.repeat(48)), 401],
    ['there is no such route', '/nothing', 404],
    ['it was refused by its length', base, 400],
  ]
  for (const [name, path, status] of refusals) {
    const pieces = status === 400 ? 66 : 8
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    const answers = on(socket, 'data')
    const next = async () => String((await answers.next()).value[0])
    socket.write(head(`${path}/send-text`, pieces * piece.length))
    const sendHalf = () => {
      for (let sent = 0; sent < pieces / 2; sent++) socket.write(piece)
    }
    t.mock.timers.enable({ apis: ['setTimeout'] })
    sendHalf()
    assert.match(await next(), new RegExp(`^HTTP/1.1 ${status} `), name)
    // These five seconds are longer than the server waits for the rest of a request when it stops quickly.
    for (let tick = 0; tick < 5; tick++) {
      t.mock.timers.tick(1_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    sendHalf()
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.match(await next(), /^HTTP\/1.1 200 /, `${name}: the connection serves the next request`)
    t.mock.timers.reset()
    socket.destroy()
  }
})

test('until there is something to serve, a request is told so', async () => {
  const server = await listen({ host: '127.0.0.1', port: 0 })
  const early = await get(`${server.url}/health/ready`)
  assert.equal(early.status, 503)
  const { code, message } = JSON.parse(early.body).error
  assert.deepEqual([code, message], ['engine_unavailable', 'The service is starting.'])
  for (const [reason, active] of [[undefined], ['standby'], ['database', 'a1']] as const) {
    server.explain(() => ({ sentence: 'It waits for a shard.', reason, active }))
    const { error } = JSON.parse((await get(`${server.url}/health/ready`)).body)
    const details = { checks: { engine: 'failed' }, ...(reason && { reason }), ...(active && { active }) }
    assert.deepEqual([error.message, error.details], ['It waits for a shard.', details])
  }
  const live = await get(`${server.url}/health/live`)
  assert.deepEqual([live.status, live.body], [200, '{"status":"ok"}'], 'what is slow to start is alive')
  server.serve(() => ({ fetch: () => new Response('served') }))
  assert.equal((await get(`${server.url}/`)).body, 'served')
  await server.stop(1_000)
  await server.close()
})

test('what has served nothing closes at once, with whoever is connected', async () => {
  const server = await listen({ host: '127.0.0.1', port: 0 })
  const keepAlive = new Agent({ keepAlive: true })
  await get(`${server.url}/`, keepAlive)
  await server.close()
  await assert.rejects(get(`${server.url}/`, new Agent()), { code: 'ECONNREFUSED' })
  keepAlive.destroy()
})
