import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashOf, newAdminKey } from '../../../src/account/credentials.ts'
import { newWorkspace } from '../../../src/account/new-workspace.ts'
import { workspaceRecords } from '../../../src/account/records.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { openService, type Service } from '../http/service.ts'

const OWN = { 'X-Svc-Dashboard': '1', Host: 'gw.test' }

async function signedIn(service: Service, adminKey = service.credentials.adminKey) {
  const body = JSON.stringify({ admin_key: adminKey })
  const { headers, body: info } = await service.ask('POST', '/dashboard/session', body, {
    ...OWN,
    'Content-Length': String(body.length),
  })
  const cookie = headers.get('Set-Cookie')!.split(';')[0]!
  const own = { Host: 'gw.test', Cookie: cookie, 'X-Svc-Dashboard': info.proof }
  const open = (more: Record<string, string> = {}) =>
    service.app.request('http://gw.test/dashboard/api/live', { headers: { ...own, ...more } })
  return { own, open }
}

async function newNeighbour({ store, sealer, time }: Service): Promise<string> {
  const key = newAdminKey()
  const neighbour = newWorkspace({ name: 'next door', now: time.now, adminKeyHash: hashOf(key), instanceSlots: 5 })
  await store.commit({ ops: [workspaceRecords(sealer).encode(keys.workspace(neighbour.id), neighbour)] })
  return key
}

/**
 * Reads the stream until `fits` accepts the text that was read, and returns this text. If the stream ends first,
 * `<end>` is appended.
 */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, fits: (text: string) => boolean): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  while (!fits(text)) {
    const { done, value } = await reader.read()
    if (done) return `${text}<end>`
    text += decoder.decode(value, { stream: true })
  }
  return text
}

test('twenty streams of a session at a time; one that ends makes room', async () => {
  const service = await openService({ dashboard: { mode: 'on' } })
  const { open } = await signedIn(service)
  const streams = await Promise.all(Array.from({ length: 20 }, () => open()))
  try {
    assert.deepEqual(new Set(streams.map(({ status }) => status)), new Set([200]))
    const refused = await open()
    assert.deepEqual([refused.status, refused.headers.get('Retry-After')], [429, '10'])
    await streams.pop()!.body!.cancel()
    streams.push(await open())
    assert.equal(streams.at(-1)!.status, 200)
  } finally {
    for (const { body } of streams) await body!.cancel()
    await service.close()
  }
})

test('the streams of one session take no place of another, of the same workspace or of the next', async () => {
  const service = await openService({ dashboard: { mode: 'on' } })
  const adminKey = await newNeighbour(service)
  const streams: Response[] = []
  try {
    for (const key of [undefined, undefined, adminKey]) {
      const { open } = await signedIn(service, key)
      const own = await Promise.all(Array.from({ length: 20 }, () => open()))
      streams.push(...own)
      assert.deepEqual(new Set(own.map(({ status }) => status)), new Set([200]))
      assert.equal((await open()).status, 429)
    }
  } finally {
    for (const { body } of streams) await body!.cancel()
    await service.close()
  }
})

test('what nobody reads any more is kept for the last few workspaces, and forgotten of the others', async () => {
  const service = await openService({ dashboard: { mode: 'on' } })
  /**
   * Opens a stream after the event with the id `last`, reads it until the event `ready`, and closes it. Returns the
   * text, and the id after which a later stream can begin.
   */
  async function looked(open: (headers?: Record<string, string>) => Response | Promise<Response>, last?: string) {
    const reader = (await open(last === undefined ? {} : { 'Last-Event-ID': last })).body!.getReader()
    const text = await readUntil(reader, (all) => /event: ready\n(?:.*\n)*\n/.test(all))
    await reader.cancel()
    return { text, id: /id: (\S+)\n(?![\s\S]*id: )/.exec(text)![1]! }
  }
  try {
    const { open } = await signedIn(service)
    const first = await looked(open)
    const again = await looked(open, first.id)
    assert.doesNotMatch(again.text, /event: reset/)
    for (let number = 0; number < 8; number++) {
      const adminKey = await newNeighbour(service)
      await looked((await signedIn(service, adminKey)).open)
    }
    assert.match((await looked(open, again.id)).text, /event: reset/)
  } finally {
    await service.close()
  }
})

test('HEAD takes no place, and a request that was given up gives its place back', async () => {
  const service = await openService({ dashboard: { mode: 'on' } })
  const { own: headers, open } = await signedIn(service)
  const ask = (init: RequestInit) => service.app.request('http://gw.test/dashboard/api/live', { headers, ...init })
  try {
    for (let asked = 0; asked < 20; asked++) assert.equal((await ask({ method: 'HEAD' })).status, 404)
    const leaving = new AbortController()
    // Nothing reads from these streams. So the service can learn only from the abort signal that a client has left.
    const left = await Promise.all(Array.from({ length: 20 }, () => ask({ signal: leaving.signal })))
    assert.deepEqual(new Set(left.map(({ status }) => status)), new Set([200]))
    assert.equal((await open()).status, 429)
    leaving.abort()
    const one = await open()
    assert.equal(one.status, 200)
    await one.body!.cancel()
  } finally {
    await service.close()
  }
})

test('a stream is for whoever is signed in, from the page itself', async () => {
  const service = await openService({ dashboard: { mode: 'on' } })
  const [{ open }, other] = [await signedIn(service), await signedIn(service)]
  try {
    assert.equal((await open({ Cookie: '' })).status, 401)
    assert.equal((await open({ 'X-Svc-Dashboard': '1' })).status, 401)
    assert.equal((await open({ 'X-Svc-Dashboard': other.own['X-Svc-Dashboard'] })).status, 401)
    assert.equal((await open({ 'Sec-Fetch-Site': 'cross-site' })).status, 403)
    assert.equal((await open({ 'Sec-Fetch-Site': 'same-site', Origin: 'http://gw.test:3000' })).status, 403)
    const own = await open({ 'Sec-Fetch-Site': 'same-origin' })
    assert.equal(own.status, 200)
    await own.body!.cancel()
  } finally {
    await service.close()
  }
})

test('nothing is kept for a reader that does not read: it is cut, and begins anew', async () => {
  const service = await openService({ dashboard: { mode: 'on' } })
  const { open } = await signedIn(service)
  const { id } = await service.newInstance()
  const slow = (await open()).body!.getReader()
  try {
    const begun = await readUntil(slow, (text) => text.includes('event: ready'))
    assert.match(begun, /event: reset\ndata: \{"total":1\}/)
    for (let change = 0; change < 5_000; change++)
      service.double.tell(id, { status: 'connected', phone: String(5_511_900_000_000 + change) })
    const rest = await readUntil(slow, () => false)
    assert.match(rest, /<end>$/)
    assert.ok(rest.split('event: instance').length < 10, 'it got what it had asked for already, and no more')
    const last = /id: (\S+)\n(?![\s\S]*id: )/.exec(begun + rest)![1]!
    const anew = (await open({ 'Last-Event-ID': last })).body!.getReader()
    const all = await readUntil(anew, (text) => text.includes('event: ready'))
    assert.match(all, /event: reset/)
    assert.match(all, /"phone":"5511900004999"/)
    await anew.cancel()
  } finally {
    await service.close()
  }
})
