import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerHeaders, framed, requestHeaders, withoutLink } from '../../../src/peer/link-headers.ts'

const LINK = { address: '203.0.113.7', requestId: 'r1' }

test('a request keeps its headers, each value of them, and says from where it came', () => {
  const sent = ['Host', 'gw.example', 'X-Forwarded-For', '1.1.1.1', 'x-forwarded-for', '2.2.2.2', 'Content-Length', '3']
  assert.deepEqual(
    { ...requestHeaders(sent, LINK) },
    {
      host: ['gw.example'],
      'x-forwarded-for': ['1.1.1.1', '2.2.2.2'],
      'content-length': ['3'],
      'x-request-id': ['r1'],
      'svc-link-address': ['203.0.113.7'],
    },
  )
})

test('headers of the connection are not passed on, and those of the link are never those of a caller', () => {
  const sent = [
    'Connection',
    'keep-alive, X-Forwarded-For',
    'Transfer-Encoding',
    'chunked',
    'Expect',
    '100-continue',
    'TE',
    'trailers',
  ]
  const forged = ['Svc-Link-Address', '127.0.0.1', 'svc-link-elsewhere', '1', 'Upgrade', 'h2c', 'X-Request-Id', 'a b']
  const { 'x-request-id': id, ...rest } = requestHeaders([...sent, ...forged, 'X-Forwarded-For', '1.1.1.1'], LINK)
  assert.deepEqual(
    [id, { ...rest }],
    [['r1'], { host: ['localhost'], 'x-forwarded-for': ['1.1.1.1'], 'svc-link-address': ['203.0.113.7'] }],
  )
})

test('a header whose name is a property of every object is passed on as any other', () => {
  const headers = requestHeaders(['__proto__', 'x', 'constructor', 'y'], { address: undefined, requestId: 'r1' })
  assert.deepEqual(Object.entries(headers).slice(0, 2), [
    ['__proto__', ['x']],
    ['constructor', ['y']],
  ])
  assert.equal('svc-link-address' in headers, false)
})

test('the active service sees the headers that the caller sent, and a caller the headers of the answer', () => {
  assert.deepEqual(withoutLink(['Host', 'a', 'svc-link-address', '1.1.1.1', 'Svc-Link-Other', 'x']), ['Host', 'a'])
  const answer = [
    'Set-Cookie',
    'a=1',
    'Set-Cookie',
    'b=2',
    'Connection',
    'close',
    'Keep-Alive',
    'timeout=75',
    'svc-link-elsewhere',
    '1',
  ]
  assert.deepEqual(answerHeaders(answer), ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'])
})

test('each body has a length or is chunked, also that of a method for which Node sets neither', () => {
  assert.deepEqual(framed({}, 0), {})
  assert.deepEqual(framed({ 'content-length': ['0'] }, 0), { 'content-length': ['0'] })
  assert.deepEqual(framed({}, 7), { 'content-length': ['7'] })
  assert.deepEqual(framed({ 'content-length': ['900'] }, undefined), { 'content-length': ['900'] })
  assert.deepEqual(framed({}, undefined), { 'transfer-encoding': ['chunked'] })
})
