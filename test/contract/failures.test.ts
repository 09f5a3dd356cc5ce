import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { Failure } from '../../src/domain/failures.ts'
import type { InstanceId } from '../../src/domain/ids.ts'
import { CREATED } from '../../src/domain/instance.ts'
import type { ComingBody } from '../../src/domain/large-body.ts'
import { createMediaPool } from '../../src/engine/media-pool.ts'
import { endpoints } from '../../src/features/index.ts'
import { MAX_VALUES } from '../../src/features/json.ts'
import { readRequest, routeNamed } from '../../src/features/requests.ts'
import { MOST_DROPPED } from '../../src/http/body.ts'
import { openService } from './http/service.ts'

let base: string

const service = await openService()
const instance = await service.newInstance()
base = instance.base
const id = instance.id
beforeEach(() => {
  service.time.now += 10_000
  service.lines.length = 0
})
after(() => service.close())

const post = (
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
  path = `${base}/send-text`,
) => service.app.request(`http://gw.test${path}`, { method: 'POST', headers, body })
const problem = async (response: Response) => {
  const { error } = (await response.json()) as {
    error: { code: string; message: string; details: { issues?: { path: string; message: string }[] } }
  }
  return { status: response.status, code: error.code, issues: error.details.issues }
}
const invalid = (path: string, message: string) => ({ status: 400, code: 'invalid_request', issues: [{ path, message }] })

describe('bodies', () => {
  test('what is not a JSON object is refused in our error body', async () => {
    for (const [body, message] of [
      ['{', 'must be valid JSON in UTF-8'],
      ['[]', 'must be a JSON object'],
      ['null', 'must be a JSON object'],
      ['"text"', 'must be a JSON object'],
    ] as const)
      assert.deepEqual(await problem(await post(body)), invalid('', message), body)
    assert.deepEqual(
      await problem(await post(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]))),
      invalid('', 'must be valid JSON in UTF-8'),
    )
  })

  test('another content type, or none, is refused when there is a body', async () => {
    const message = 'must be sent with Content-Type: application/json'
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])
      assert.deepEqual(await problem(await post('{}', { 'Content-Type': type })), invalid('', message), type)
    assert.notDeepEqual(
      (await problem(await post('{}', { 'Content-Type': 'Application/JSON; charset=utf-8' }))).issues?.[0]?.message,
      message,
    )
  })

  test('an empty body and {} are the same, with and without a content type', async () => {
    service.double.answer = () => ({ value: true, status: 'connecting' })
    for (const [body, headers] of [
      ['', {}],
      ['{}', { 'Content-Type': 'application/json' }],
      ['', { 'Content-Type': 'application/json' }],
    ] as const) {
      const response = await post(body, headers as Record<string, string>, `${base}/restart`)
      assert.equal(response.status, 201)
    }
    const issues = [
      { path: 'phone', message: 'is required' },
      { path: 'message', message: 'is required' },
    ]
    assert.deepEqual(await problem(await post('', {})), { status: 400, code: 'invalid_request', issues })
  })

  test('a body above 64 MB is refused: by its announced length at once, else as soon as it is too much', async () => {
    const announced = await post('{}', { 'Content-Type': 'application/json', 'Content-Length': String(64 * 1_048_576 + 1) })
    assert.deepEqual(await problem(announced), invalid('', 'must have at most 64 MB'))
    let pulled = 0
    let cancelled = false
    const endless = new ReadableStream({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(1_048_576))
      },
      cancel() {
        cancelled = true
      },
    })
    const request = new Request(`http://gw.test${base}/send-text`, {
      method: 'POST',
      body: endless,
      headers: { 'Content-Type': 'application/json' },
      duplex: 'half',
    } as RequestInit)
    assert.deepEqual(await problem(await service.app.request(request)), invalid('', 'must have at most 64 MB'))
    // Some clients read the answer only after they have sent everything. So the service reads the rest of the body, up
    // to a limit, and drops it.
    while (!cancelled) await new Promise((resolve) => setImmediate(resolve))
    assert.ok(pulled * 1_048_576 < 1.2 * MOST_DROPPED, `${pulled} MB were read`)
  })

  test('large bodies share 256 MB, half of it for one instance: what does not fit is asked to come again, small ones are not concerned', async () => {
    const MB = 1_048_576
    /**
     * Starts an upload whose body does not end until `cut` is called. With `isTold`, the request declares its length.
     */
    const upload = (length: number, isTold = true, under = base) => {
      let cut!: () => void
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new Uint8Array(length))
          cut = () => controller.error(new Error('cut'))
        },
      })
      const headers = {
        'Content-Type': 'application/json',
        ...(isTold ? { 'Content-Length': String(length) } : {}),
      }
      const init = { method: 'POST', body, headers, duplex: 'half' } as RequestInit
      const answer = service.app.request(new Request(`http://gw.test${under}/send-text`, init))
      return { answer: Promise.resolve(answer), cut: () => cut() }
    }
    const [other, third] = [await service.newInstance(), await service.newInstance()]
    const held = [64, 63].map((size) => upload(size * MB))
    await new Promise((resolve) => setImmediate(resolve))
    const own = await upload(2 * MB).answer
    assert.equal(own.headers.get('Retry-After'), '1')
    assert.deepEqual(await problem(own), { status: 503, code: 'engine_unavailable', issues: undefined })
    held.push(...[64, 64].map((size) => upload(size * MB, true, other.base)))
    await new Promise((resolve) => setImmediate(resolve))
    for (const isTold of [true, false]) {
      const refused = await upload(2 * MB, isTold, third.base).answer
      assert.equal(refused.headers.get('Retry-After'), '1')
      assert.deepEqual(await problem(refused), { status: 503, code: 'engine_unavailable', issues: undefined })
    }
    assert.deepEqual(await problem(await post('[]')), invalid('', 'must be a JSON object'), 'a small one is read')
    const last = upload(MB)
    for (const { cut } of [...held, last]) cut()
    for (const { answer } of [...held, last]) assert.equal((await answer).status, 400)
    const again = upload(64 * MB)
    again.cut()
    assert.equal((await again.answer).status, 400, 'what is answered holds nothing')
  })

  test('sentences name the bound, paths have dots, and there are at most 50 of them', async () => {
    const sent = {
      phone: '5511988887777',
      message: 'x'.repeat(65_537),
      delay_typing: 16,
      mention_all: 'yes',
      mentions: [1, '5511', 'group'],
      link_preview: null,
    }
    assert.deepEqual((await problem(await post(JSON.stringify(sent)))).issues, [
      { path: 'message', message: 'must have at most 65536 characters' },
      { path: 'link_preview', message: 'must not be null' },
      { path: 'mentions.0', message: 'must be a string' },
      { path: 'mentions.1', message: 'must be a number of 5 to 20 digits or `<digits>@lid`' },
      { path: 'mentions.2', message: 'must be a number of 5 to 20 digits or `<digits>@lid`' },
      { path: 'mention_all', message: 'must be true or false' },
      { path: 'delay_typing', message: 'must be at most 15' },
    ])
    const many = { phone: '5511988887777', message: 'x', mentions: Array.from({ length: 200 }, () => 1) }
    assert.equal((await problem(await post(JSON.stringify(many)))).issues?.length, 50)
  })

  test('a message is as long as its code points', async () => {
    service.double.answer = () => ({ message_id: 'M', svc_id: 'S' })
    assert.equal((await post(JSON.stringify({ phone: '5511988887777', message: '😀'.repeat(65_536) }))).status, 200)
    const longer = await post(JSON.stringify({ phone: '5511988887777', message: '😀'.repeat(65_537) }))
    assert.deepEqual(await problem(longer), invalid('message', 'must have at most 65536 characters'))
  })

  test('a wrong identifier is invalid_phone only when nothing else is wrong', async () => {
    const of = async (fields: object) => (await problem(await post(JSON.stringify({ message: 'x', ...fields })))).code
    for (const phone of ['1234', 'abc', '123@g.us-group', '+5511988887777', '5'.repeat(65), '120363@c.us', ' 5511988887777'])
      assert.equal(await of({ phone }), 'invalid_phone', phone)
    for (const phone of [undefined, '', null, 5511988887777]) assert.equal(await of({ phone }), 'invalid_request', String(phone))
    assert.equal(await of({ phone: 'abc', message: '' }), 'invalid_request')
    assert.equal(
      await of({ phone: '5511988887777', mentions: ['5511977776666'] }),
      'invalid_request',
      'a mention that is not in the text',
    )
    const longer = await problem(
      await post(JSON.stringify({ phone: '5511988887777', message: 'Hi @5511988887777', mentions: ['551198888'] })),
    )
    assert.deepEqual(
      longer.issues,
      [{ path: 'mentions.0', message: 'must appear in the text as @551198888' }],
      'part of another number',
    )
    const read = await post(JSON.stringify({ phone: '123@newsletter', message_id: 'A' }), undefined, `${base}/read-message`)
    assert.equal((await problem(read)).code, 'invalid_phone', 'a kind the operation does not take')
    const invite = { phone: '5511988887777', newsletter_id: '120363166555745933' }
    const invited = await post(JSON.stringify(invite), undefined, `${base}/send-newsletter-admin-invite`)
    assert.equal((await problem(invited)).code, 'invalid_phone', 'a channel without its ending')
  })

  test('unknown fields are ignored, and those of the path win over the body', async () => {
    service.double.answer = () => ({ message_id: 'M', svc_id: 'S' })
    await post(JSON.stringify({ phone: '5511988887777', message: 'x', unknown: 1, instance_id: 'other' }))
    const { instance, input } = service.double.calls.at(-1)!
    assert.equal(instance, id)
    assert.ok(!('unknown' in (input as object)) && !('instance_id' in (input as object)))
    const answer = await service.ask('PUT', `${base}/webhooks/received`, { type: 'delivery', value: 'https://example.com/a' })
    assert.equal(answer.body.received_url, 'https://example.com/a')
    assert.equal(answer.body.delivery_url, null)
  })
})

function coming(pieces: Uint8Array<ArrayBuffer>[]): ComingBody {
  async function* batches() {
    for (const piece of pieces) yield [piece]
  }
  return { batches: batches(), held() {} }
}

describe('large bodies', () => {
  const endpoint = endpoints.find((one) => one.id === 'send.sendText')!
  const filler = 'x'.repeat(300_000)
  /**
   * Builds a body with emoji as escape sequences. Clients that send only ASCII write an emoji in this way, with twelve
   * bytes.
   */
  const escaped = (characters: number) => `{"phone":"5511988887777","message":"${'\\ud83d\\ude00'.repeat(characters)}"}`
  const bodies: [string, string | Uint8Array<ArrayBuffer>][] = [
    ['a good one', JSON.stringify({ phone: '5511988887777', message: 'Hello', filler })],
    ['a text too long', JSON.stringify({ phone: '5511988887777', message: filler })],
    ['a wrong phone', JSON.stringify({ phone: 'nobody', message: 'Hello', filler })],
    ['two things wrong', JSON.stringify({ phone: 'nobody', delay_message: 16, filler })],
    ['mentions that are not there', JSON.stringify({ phone: '5511988887777', message: 'x', mentions: ['551198'], filler })],
    ['a list', JSON.stringify([filler])],
    ['broken JSON', `{"filler":"${filler}`],
    ['no UTF-8', new Uint8Array(300_000).fill(0xff)],
    ['a very long text', JSON.stringify({ phone: '5511988887777', message: 'x'.repeat(1_100_000) })],
    ['a very long text of other letters', JSON.stringify({ phone: '5511988887777', message: 'ü'.repeat(1_100_000) })],
    ['a very long phone', JSON.stringify({ phone: '1'.repeat(1_100_000), message: 'Hello' })],
    ['a very long text for a list', JSON.stringify({ phone: '5511988887777', message: 'x', mentions: 'x'.repeat(1_100_000) })],
    [
      'a very long text for a number',
      JSON.stringify({ phone: '5511988887777', message: 'x', delay_message: 'x'.repeat(1_100_000) }),
    ],
    ['a very long text alone', JSON.stringify('x'.repeat(1_100_000))],
    [
      'a very long text that is ignored',
      JSON.stringify({ phone: '5511988887777', message: 'Hello', filler: 'x'.repeat(1_100_000) }),
    ],
    ['a very long text without an end', `{"phone":"5511988887777","message":"${'x'.repeat(1_100_000)}`],
    ['a very long text with a line break', `{"phone":"5511988887777","message":"Hello","filler":"${'x'.repeat(1_100_000)}\n"}`],
    ['a very long text with no escape', `{"phone":"5511988887777","message":"Hello","filler":"${'x'.repeat(1_100_000)}\\x"}`],
    ['the longest text, every character escaped', escaped(65_536)],
    ['one character more, every character escaped', escaped(65_537)],
    ['a million objects', `{"phone":"5511988887777","message":"Hello","filler":[${'{},'.repeat(1_000_000)}{}]}`],
  ]

  test('give the same result in the media worker as on the HTTP thread', async () => {
    const pool = createMediaPool({ logging: { level: 'error' }, log: service.log })
    try {
      for (const [name, text] of bodies) {
        const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text.slice()
        const outcome = async (read: () => unknown) => {
          try {
            return { ok: await read() }
          } catch (error) {
            return { err: (error as Failure).toData() }
          }
        }
        const pieces = [bytes.slice(0, 100_000), bytes.slice(100_000)]
        const body = coming(pieces)
        const here = await outcome(() => {
          const { input } = readRequest(routeNamed(endpoint.id), { path: {}, body: bytes })
          return { operation: endpoint.id, input }
        })
        const there = await outcome(() => pool.readLargeBody(endpoint.id, { path: {} }, body))
        assert.deepEqual(there, here, name)
        assert.deepEqual(
          pieces.map(({ byteLength }) => byteLength),
          [0, 0],
          'the bytes were handed over, not copied',
        )
      }
    } finally {
      await pool.close()
    }
  })

  test('are answered like small ones', async () => {
    service.double.answer = () => ({ message_id: 'M', svc_id: 'S' })
    const [good, long] = await Promise.all(bodies.slice(0, 2).map(([, body]) => post(body)))
    assert.equal(good?.status, 200)
    assert.deepEqual(await problem(long!), invalid('message', 'must have at most 65536 characters'))
  })

  // An earlier bug: two bodies with millions of values kept both parser threads busy for two minutes, until the heaps
  // of the threads were full.
  test('of millions of values are refused before they are parsed', async () => {
    assert.deepEqual(await problem(await post(bodies.at(-1)![1])), invalid('', `must have at most ${MAX_VALUES} values`))
    const pool = createMediaPool({ logging: { level: 'error' }, log: service.log })
    try {
      const piece = () => new TextEncoder().encode('{},'.repeat(2_000_000))
      const reads = ['[', '{"phone":"5511988887777","message":['].map((start) =>
        pool.readLargeBody(endpoint.id, { path: {} }, coming([new TextEncoder().encode(start), piece()])),
      )
      for (const read of await Promise.allSettled(reads)) {
        assert.equal(read.status, 'rejected')
        assert.deepEqual((read.reason as Failure).details?.issues, [
          { path: '', message: `must have at most ${MAX_VALUES} values` },
        ])
      }
      const { problem } = (await pool.readLargeMessage(coming([piece()]))) as { problem: { message: string } }
      assert.equal(problem.message, `The message has more than ${MAX_VALUES} values.`)
    } finally {
      await pool.close()
    }
  })
})

describe('failures', () => {
  test('an instance the engine does not host any more is 404, not the 401 of a wrong token', async () => {
    service.double.answer = () => {
      throw new Failure('instance_not_found')
    }
    const response = await post(JSON.stringify({ phone: '5511988887777', message: 'x' }))
    assert.deepEqual(await problem(response), { status: 404, code: 'instance_not_found', issues: undefined })
  })

  // The instance is deleted while its request runs. The request then fails at the connection of the instance (409), the
  // shard (503) or the store (500), but its answer must be 404.
  for (const [what, failure, method, path, body] of [
    ['an action', 'instance_not_connected', 'GET', '/device', undefined],
    ['an action with a body', 'instance_not_connected', 'POST', '/phone-exists-batch', { phones: ['5511988887777'] }],
    ['a control', 'engine_unavailable', 'POST', '/restart', undefined],
    ['a control with a fallback', 'engine_unavailable', 'GET', '/status', undefined],
    ['a send', 'engine_unavailable', 'POST', '/send-text', { phone: '5511988887777', message: 'x' }],
    ['a failure of the store', 'internal', 'GET', '/queue', undefined],
  ] as const)
    test(`${what} of an instance that is deleted meanwhile ends with 404 instance_not_found`, async () => {
      const doomed = await service.newInstance('doomed')
      service.double.answer = async () => {
        await service.directory.delete(doomed.id as InstanceId)
        throw new Failure(failure)
      }
      const { status, body: answer } = await service.ask(method, doomed.base + path, body)
      assert.deepEqual([status, answer.error.code], [404, 'instance_not_found'])
    })

  test('a change that waits for the deletion of its instance ends with 404 instance_not_found', async () => {
    for (const [path, body] of [
      ['/name', { value: 'too late' }],
      ['/settings', { auto_read_message: true }],
      ['/webhooks', { single_url: null }],
    ] as const) {
      const doomed = await service.newInstance('doomed')
      const deleted = service.directory.delete(doomed.id as InstanceId)
      const { status, body: answer } = await service.ask('PUT', doomed.base + path, body)
      assert.deepEqual([status, answer.error.code], [404, 'instance_not_found'], path)
      await deleted
    }
  })

  test('a wrong page of a channel is refused before anybody asks whether the instance is connected', async () => {
    service.double.answer = () => {
      throw new Failure('instance_not_connected')
    }
    const { base } = await service.newInstance('pages')
    const path = `${base}/newsletters/120363166555745933@newsletter/messages`
    for (const cursor of ['abc', '-1', '', '12345678901234567']) {
      const { status, body } = await service.ask('GET', `${path}?cursor=${cursor}`)
      const issues = [{ path: 'cursor', message: 'must be `next_cursor` of a previous answer' }]
      assert.deepEqual([status, body.error.code, body.error.details?.issues], [400, 'invalid_request', issues], cursor)
    }
  })

  test('an unexpected error says nothing to the caller and everything to the log', async () => {
    service.double.answer = () => {
      throw new TypeError('secret detail')
    }
    const response = await post(JSON.stringify({ phone: '5511988887777', message: 'x' }))
    const requestId = response.headers.get('X-Request-Id')
    const text = await response.text()
    assert.equal(response.status, 500)
    assert.ok(!text.includes('secret detail'))
    assert.ok(
      service.lines.some(
        ({ level, fields }) =>
          level === 'error' && (fields.err as Error).message === 'secret detail' && fields.request_id === requestId,
      ),
    )
  })

  test('the status is answered from what is known when the shard is gone, or silent for 2 s', async (t) => {
    service.double.tell(id, { ...CREATED, status: 'disconnected', reason: 'connection_lost', phone: '5511999990000' })
    const known = {
      connected: false,
      restriction: null,
      smartphone_connected: false,
      status: 'disconnected',
      phone: '5511999990000',
      error: 'The connection to the network was lost; reconnecting.',
    }
    service.double.answer = () => {
      throw new Failure('engine_unavailable')
    }
    assert.deepEqual((await service.ask('GET', `${base}/status`)).body, known)
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const asked = new Promise<void>((resolve) => {
      service.double.answer = () => {
        resolve()
        return new Promise(() => {})
      }
    })
    const answer = service.ask('GET', `${base}/status`)
    await asked
    t.mock.timers.tick(2_000)
    assert.deepEqual((await answer).body, known)
  })

  test('readiness names the check that fails, and ends with the service', async () => {
    const { readiness } = service
    assert.deepEqual((await service.ask('GET', '/health/ready')).body.checks, {
      database: 'ok',
      session_store: 'ok',
      engine: 'ok',
      disk: 'ok',
      media: 'ok',
    })
    readiness.checks.engine = async () => false
    const failing = await service.ask('GET', '/health/ready')
    assert.equal(failing.status, 503)
    assert.equal(failing.body.error.code, 'engine_unavailable')
    assert.deepEqual(failing.body.error.details.checks, {
      database: 'ok',
      session_store: 'ok',
      engine: 'failed',
      disk: 'ok',
      media: 'ok',
    })
    readiness.checks.engine = async () => true
    readiness.stopping = true
    assert.equal((await service.ask('GET', '/health/ready')).status, 503)
    assert.equal((await service.ask('GET', '/health/live')).status, 200)
    readiness.stopping = false
  })
})
