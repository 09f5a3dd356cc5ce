/**
 * Tests that a client receives the answer to a refused body. Many clients read an answer only after they have sent the
 * whole body. So the service reads and drops the rest of a refused body, up to a limit. Otherwise such clients would
 * report a broken pipe.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { type Listening, listen } from '../../src/serve.ts'
import { openService } from './http/service.ts'

const MB = 1_048_576

const service = await openService({ dashboard: { mode: 'on' }, hasOauth: true })
const base = (await service.newInstance()).base
const server = await listen({ host: '127.0.0.1', port: 0 })
server.serve(() => service.app)
const starting = await listen({ host: '127.0.0.1', port: 0 })
after(async () => {
  await server.stop(0)
  await starting.stop(0)
  await service.close()
})

interface Case {
  what: string
  path(): string
  status: number
  headers?: string[]
  to?: () => Listening
}

const JSON_BODY = 'Content-Type: application/json'
const FORM_BODY = 'Content-Type: application/x-www-form-urlencoded'

const CASES: readonly Case[] = [
  { what: 'a wrong pair', path: () => `/instances/x/token/y/send-text`, status: 401 },
  { what: 'a path that is no route', path: () => '/nothing', status: 404 },
  { what: 'another type', path: () => `${base}/send-text`, status: 400, headers: ['Content-Type: text/plain'] },
  { what: 'a service that starts', path: () => '/nothing', status: 503, to: () => starting },
  { what: 'a path of no URL', path: () => '/a\\b', status: 400 },
  { what: 'two Host headers', path: () => '/nothing', status: 400, headers: ['Host: gw.test'] },
  { what: 'too many headers', path: () => '/nothing', status: 431, headers: Array.from({ length: 300 }, (_, at) => `n${at}:`) },
  { what: 'a head that is too long', path: () => '/nothing', status: 431, headers: [`N: ${'n'.repeat(20_000)}`] },
  { what: 'a folded header', path: () => '/nothing', status: 400, headers: ['N: a\r\n b'] },
  { what: 'a form of OAuth', path: () => '/oauth/token', status: 400, headers: [FORM_BODY] },
  { what: 'a registration', path: () => '/oauth/register', status: 400, headers: [JSON_BODY] },
  { what: 'a sign-in', path: () => '/dashboard/session', status: 400, headers: [JSON_BODY, 'X-Svc-Dashboard: 1'] },
]

const ZEROS = Buffer.alloc(MB, '0')

/** Sends the whole body before it reads the answer, as blocking clients do. Rejects if the connection is reset. */
async function sendAll({ path, headers = [JSON_BODY], to = () => server }: Case, size: number, connection: string) {
  const socket = connect(Number(new URL(to().url).port), '127.0.0.1')
  await once(socket, 'connect')
  let error: Error | undefined
  socket.on('error', (thrown) => {
    error = thrown
  })
  socket.pause()
  socket.write(
    [`POST ${path()} HTTP/1.1`, 'Host: gw.test', ...headers, `Content-Length: ${size}`, `Connection: ${connection}`, '', ''].join(
      '\r\n',
    ),
  )
  for (let left = size; left > 0 && error === undefined; left -= MB)
    if (!socket.write(ZEROS.subarray(0, Math.min(left, MB)))) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  let text = ''
  const isWhole = () => {
    const [head = '', body] = text.split('\r\n\r\n')
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1])
    return body !== undefined && body.length >= length
  }
  socket.resume()
  await new Promise<void>((resolve) => {
    socket.on('data', (piece) => {
      text += String(piece)
      if (connection === 'keep-alive' && isWhole()) resolve()
    })
    socket.on('close', () => resolve())
  })
  socket.destroy()
  if (error) throw error
  return { status: Number(text.split(' ')[1]), isWhole: isWhole(), body: text.split('\r\n\r\n')[1] }
}

describe('a refused body costs nobody the answer:', () => {
  for (const each of CASES)
    test(each.what, async () => {
      for (const connection of ['close', 'keep-alive'])
        for (const size of [300_000, 4 * MB, 20 * MB]) {
          const answer = await sendAll(each, size, connection)
          assert.deepEqual([answer.status, answer.isWhole], [each.status, true], `${size} bytes, ${connection}`)
          assert.ok(JSON.parse(answer.body!).error, answer.body)
        }
    })

  test('one above 64 MB', async () => {
    const tooLarge: Case = { what: '', path: () => `${base}/send-text`, status: 400 }
    for (const connection of ['close', 'keep-alive'])
      for (const size of [65, 130, 200]) {
        const { status, body } = await sendAll(tooLarge, size * MB, connection)
        assert.equal(status, 400)
        assert.deepEqual(JSON.parse(body!).error.details.issues, [{ path: '', message: 'must have at most 64 MB' }])
      }
  })
})

test('a connection whose answer was its last takes no further request', async () => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  let text = ''
  socket.on('data', (piece) => {
    text += String(piece)
  })
  const head = (length: number) => `POST /nothing HTTP/1.1\r\nHost: gw.test\r\nHost: gw.test\r\nContent-Length: ${length}\r\n\r\n`
  socket.write(`${head(10)}12345`)
  while (!text.includes('}')) await once(socket, 'data')
  socket.write(`67890${head(0)}`)
  await once(socket, 'close')
  assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1)
})
