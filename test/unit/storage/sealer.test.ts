import assert from 'node:assert/strict'
import { createCipheriv, randomBytes } from 'node:crypto'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeTime } from 'ulid'
import * as v from 'valibot'
import { DAY } from '../../../src/domain/clock.ts'
import { ascendingIds } from '../../../src/storage/ascending-ids.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { repository } from '../../../src/storage/repository.ts'
import { createSealer } from '../../../src/storage/sealer.ts'
import { loadSecretKey, parseSecretKey } from '../../../src/storage/secret-key.ts'
import { START, sealer, tempDir, tempStore } from './fixtures.ts'

const UPGRADES = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [index + 1, (old: object) => ({ ...old })]))
const KEY = new Uint8Array(64).fill(8)
const other = createSealer(KEY)

test('a sealed value opens only whole, under its own record and with its own key', () => {
  const plain = Buffer.from('secret')
  const sealed = sealer.seal('a', plain)
  assert.deepEqual(sealer.open('a', sealed), plain)
  assert.equal(sealed.includes(plain), false)
  assert.notDeepEqual(sealer.seal('a', plain), sealed)
  assert.deepEqual(sealer.open('empty', sealer.seal('empty', new Uint8Array())), Buffer.alloc(0))
  assert.throws(() => sealer.open('b', sealed), /b cannot be opened/)
  assert.throws(() => other.open('a', sealed), /a cannot be opened/)
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed)
    changed[i]! ^= 1
    assert.throws(() => sealer.open('a', changed))
  }
  assert.throws(() => sealer.open('a', sealed.subarray(0, 20)), /not a sealed record/)
  assert.throws(() => createSealer(new Uint8Array(16)), /32 bytes/)
})

test('a record that another program sealed in the documented form is opened', () => {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', KEY.subarray(0, 32), iv)
  cipher.setAAD(Buffer.from('instance:é'))
  const text = Buffer.concat([cipher.update('secret'), cipher.final()])
  const sealed = Buffer.concat([Buffer.of(1), iv, cipher.getAuthTag(), text])
  assert.equal(createSealer(KEY).open('instance:é', sealed).toString(), 'secret')
})

test('record keys and texts of every length are written whole', () => {
  for (const name of ['k', 'k'.repeat(341), 'k'.repeat(342), 'k'.repeat(2_000), 'é'.repeat(300)]) {
    const sealed = sealer.seal(name, Buffer.from(name))
    assert.equal(sealer.open(name, sealed).toString(), name)
    assert.throws(() => sealer.open(`${name}k`, sealed), /cannot be opened/)
  }
  const schema = v.object({ text: v.optional(v.string()), more: v.optional(v.string()) })
  for (const sealed of [undefined, sealer]) {
    const records = repository({ name: 'text', schema, version: 12, upgrades: UPGRADES, sealed })
    const values = [
      {},
      ...['', 'a', '€😀"\\', 'x'.repeat(5_400), '€'.repeat(5_500), 'x'.repeat(70_000)].map((text) => ({ text })),
    ]
    const written = values.map((value) => records.encode('k', value)[1]!)
    assert.deepEqual(
      written.map((bytes) => (sealed ? sealed.open('k', bytes) : Buffer.from(bytes)).toString()),
      values.map((value) => JSON.stringify({ v: 12, ...value })),
    )
    assert.deepEqual(
      written.map((bytes) => records.decode('k', bytes)),
      values,
    )
  }
})

test('no two values are sealed under the same nonce', () => {
  // 1,000 values need more than one batch of nonces.
  const nonces = Array.from({ length: 1_000 }, () => sealer.seal('a', Buffer.of(1)).subarray(1, 13).toString('hex'))
  assert.equal(new Set(nonces).size, nonces.length)
})

test('a blind name is the same for the same text and key, and another for any other', () => {
  const blind = (text: string, byte = 7) => createSealer(new Uint8Array(32).fill(byte)).blind(text)
  assert.match(blind('5511988887777.0'), /^[A-Za-z0-9_-]{22}$/)
  assert.equal(blind('5511988887777.0'), blind('5511988887777.0'))
  assert.equal(new Set([blind('5511988887777.0'), blind('5511988887777.1'), blind('5511988887777.0', 8)]).size, 3)
})

test('a blind name is the same whether it is remembered or was forgotten', () => {
  const { blind } = createSealer(new Uint8Array(32).fill(7))
  const first = blind('5511988887777.0')
  for (let i = 0; i < 5_000; i++) blind(`other ${i}`)
  assert.equal(blind('5511988887777.0'), first)
})

test('a secret key is 32 bytes, as base64 or hex, and its text is never in an error', () => {
  const key = Buffer.alloc(32, 0xab)
  for (const text of [key.toString('base64'), key.toString('hex'), ` ${key.toString('base64url')}\n`])
    assert.deepEqual(Buffer.from(parseSecretKey(text, 'x')), key)
  for (const text of ['', 'short', key.toString('hex').slice(2), 'z'.repeat(64)]) {
    assert.throws(
      () => parseSecretKey(text, 'SVC_SECRET_KEY'),
      (error: Error) => {
        assert.match(error.message, /^SVC_SECRET_KEY must be 32 bytes/)
        return text === '' || !error.message.includes(text)
      },
    )
  }
})

test('a key is generated once, for its owner only, and never beside data sealed with another', async (t) => {
  const store = await tempStore(t)
  const dir = await tempDir(t)
  const file = join(dir, 'deep', 'secret.key')
  // A refused "store copy" leaves this record in its target. So a target that has only this record counts as empty.
  await store.commit({ ops: [[keys.owner, Buffer.from('x')]] })
  const [first, second] = await Promise.all([loadSecretKey({ file, store }), loadSecretKey({ file, store })])
  assert.deepEqual(first, second)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(join(dir, 'deep')), ['secret.key'])
  assert.deepEqual(await loadSecretKey({ file, store }), first)
  const given = Buffer.alloc(32, 1)
  assert.deepEqual(Buffer.from(await loadSecretKey({ secretKey: given.toString('hex'), file, store })), given)

  await store.commit({ ops: [['meta:key-ring', Buffer.from('x')]] })
  await rm(file)
  await assert.rejects(loadSecretKey({ file, store }), /^Error: The key file .* is missing, but the store has data/)
  assert.deepEqual(await readdir(join(dir, 'deep')), [])
  await writeFile(file, 'damaged')
  await assert.rejects(loadSecretKey({ file, store }), /^Error: The key file .* must be 32 bytes/)
  assert.equal(await readFile(file, 'utf8'), 'damaged')
})

const point = {
  name: 'point',
  schema: v.object({ x: v.number(), label: v.string() }),
  version: 2,
  upgrades: { 1: (old: Record<string, unknown>) => ({ ...old, label: 'none' }) },
}

test('records are versioned, upgraded when read, sealed when asked, and listed in order', async (t) => {
  const store = await tempStore(t)
  const points = repository({ ...point, sealed: sealer })
  await store.commit({ ops: [points.encode('p:2', { x: 2, label: 'b' }), points.encode('p:1', { x: 1, label: 'a' })] })
  assert.deepEqual(await points.get(store, 'p:1'), { x: 1, label: 'a' })
  assert.equal(await points.get(store, 'p:9'), undefined)
  const found = []
  for await (const { key, value } of points.list(store, 'p:')) found.push([key, value.x])
  assert.deepEqual(found, [
    ['p:1', 1],
    ['p:2', 2],
  ])
  assert.equal(Buffer.from((await store.get('p:1'))!).includes('label'), false)
  await store.commit({ ops: [points.remove('p:1'), ['p:old', sealer.seal('p:old', Buffer.from('{"v":1,"x":7}'))]] })
  assert.deepEqual(await points.get(store, 'p:old'), { x: 7, label: 'none' })
  assert.throws(() => repository({ ...point, version: 3 }), /no upgrade from version 2/)
})

test('a record that cannot be used is an error that names its key and not its content', () => {
  const points = repository(point)
  const bad: [string, RegExp][] = [
    ['not json', /^point k: is not readable/],
    ['[1]', /^point k: is not a record/],
    ['{"x":1}', /^point k: has no version/],
    ['{"v":3,"x":1}', /^point k: has version 3; this program knows up to 2/],
    ['{"v":2,"x":"private","label":"l"}', /^point k: has an unexpected x \(number\)$/],
  ]
  for (const [text, message] of bad)
    assert.throws(() => points.decode('k', Buffer.from(text)), { name: 'RecordError', message, key: 'k' })
  assert.throws(() => repository({ ...point, sealed: sealer }).decode('k', Buffer.from('{"v":2,"x":1}')), /is not readable/)
})

test('ids ascend within a millisecond, when the clock goes back, and over a restart', () => {
  let now = START
  const ids = ascendingIds({ now: () => now })
  const given = [ids.next(), ids.next(), ids.next()]
  now -= 60_000
  given.push(ids.next())
  now += 120_000
  given.push(ids.next())
  const restarted = ascendingIds({ now: () => START })
  restarted.continueAfter(given.at(-1)!)
  restarted.continueAfter(given[0]!)
  given.push(restarted.next(), restarted.next())
  assert.deepEqual(given, given.toSorted())
  assert.equal(new Set(given).size, given.length)
  for (const id of given) assert.match(id, /^[0-9A-HJKMNP-TV-Z]{26}$/)
})

test('ids are ahead behind a clock that was far ahead, until they start over', () => {
  let now = START + 30 * DAY
  const ids = ascendingIds({ now: () => now })
  assert.equal(ids.ahead(), 0)
  const early = ids.next()
  assert.equal(ids.ahead(), 0)
  now = START
  assert.equal(ids.ahead(), 30 * DAY)
  assert.ok(ids.next() > early)
  ids.startOver()
  assert.equal(ids.ahead(), 0)
  assert.equal(decodeTime(ids.next()), START)
})
