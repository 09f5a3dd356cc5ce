import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSignalDevice, restoreSignalDevice, type SignalDevice } from '../../packages/sandbox/src/testing.ts'
import { createRustSide } from './rust-signal.ts'

const ANNA = '491700000001.0'
const BEN = '491700000002.3'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()
const seal = (from: SignalDevice, to: string, words: string) => from.encrypt(to, Buffer.from(words))
const open = async (at: SignalDevice, from: string, sealed: Awaited<ReturnType<typeof seal>>) =>
  text(await at.decrypt(from, sealed.type, sealed.ciphertext))

async function pair() {
  const anna = createSignalDevice()
  const ben = createSignalDevice()
  await anna.openSession(BEN, ben.bundle(true))
  return { anna, ben }
}

const restart = (device: SignalDevice) => restoreSignalDevice(JSON.parse(JSON.stringify(device.save())))

test('the first messages carry the pre-key until the other side has answered', async () => {
  const { anna, ben } = await pair()
  const first = await seal(anna, BEN, 'hello')
  assert.equal(first.type, 'pkmsg')
  assert.equal(await open(ben, ANNA, first), 'hello')
  const second = await seal(anna, BEN, 'still me')
  assert.equal(second.type, 'pkmsg')
  assert.equal(await open(ben, ANNA, second), 'still me')
  const answer = await seal(ben, ANNA, 'yes?')
  assert.equal(answer.type, 'msg')
  assert.equal(await open(anna, BEN, answer), 'yes?')
  assert.equal((await seal(anna, BEN, 'fine')).type, 'msg')
})

test('a hundred turns of the ratchet stay readable', async () => {
  const { anna, ben } = await pair()
  for (let turn = 0; turn < 50; turn++) {
    assert.equal(await open(ben, ANNA, await seal(anna, BEN, `to ben ${turn}`)), `to ben ${turn}`)
    assert.equal(await open(anna, BEN, await seal(ben, ANNA, `to anna ${turn}`)), `to anna ${turn}`)
  }
})

test('messages out of order are read once each', async () => {
  const { anna, ben } = await pair()
  await open(ben, ANNA, await seal(anna, BEN, 'start'))
  const sealed = [await seal(anna, BEN, 'a'), await seal(anna, BEN, 'b'), await seal(anna, BEN, 'c')]
  assert.equal(await open(ben, ANNA, sealed[2]!), 'c')
  assert.equal(await open(ben, ANNA, sealed[0]!), 'a')
  assert.equal(await open(ben, ANNA, sealed[1]!), 'b')
  await assert.rejects(open(ben, ANNA, sealed[1]!))
})

test('a broken ciphertext leaves the session as it was', async () => {
  const { anna, ben } = await pair()
  await open(ben, ANNA, await seal(anna, BEN, 'start'))
  await open(anna, BEN, await seal(ben, ANNA, 'back'))
  const good = await seal(anna, BEN, 'good')
  const bad = { ...good, ciphertext: Buffer.from(good.ciphertext) }
  bad.ciphertext[bad.ciphertext.length - 1]! ^= 1
  await assert.rejects(open(ben, ANNA, bad))
  assert.equal(await open(ben, ANNA, good), 'good')
})

test('a device saved and restored in the middle of a conversation goes on', async () => {
  const { anna, ben } = await pair()
  const pending = await seal(anna, BEN, 'sent before the restart')
  const annaAgain = restart(anna)
  const benAgain = restart(ben)
  assert.equal(await open(benAgain, ANNA, pending), 'sent before the restart')
  assert.equal(await open(annaAgain, BEN, await seal(benAgain, ANNA, 'welcome back')), 'welcome back')
  assert.equal(await open(restart(benAgain), ANNA, await seal(annaAgain, BEN, 'thanks')), 'thanks')
  assert.deepEqual(annaAgain.identity, anna.identity)
  assert.equal(annaAgain.registrationId, anna.registrationId)
})

test('both sides that open a session at the same moment still read each other', async () => {
  const { anna, ben } = await pair()
  await ben.openSession(ANNA, anna.bundle(true))
  const crossed = [await seal(anna, BEN, 'from anna'), await seal(ben, ANNA, 'from ben')] as const
  assert.equal(await open(ben, ANNA, crossed[0]), 'from anna')
  assert.equal(await open(anna, BEN, crossed[1]), 'from ben')
  for (let turn = 0; turn < 5; turn++) {
    assert.equal(await open(ben, ANNA, await seal(anna, BEN, `a${turn}`)), `a${turn}`)
    assert.equal(await open(anna, BEN, await seal(ben, ANNA, `b${turn}`)), `b${turn}`)
  }
})

test('a session that another takes the place of is archived: what is on its way under it is still read', async () => {
  const { anna, ben } = await pair()
  assert.equal(await open(ben, ANNA, await seal(anna, BEN, 'start')), 'start')
  assert.equal(await open(anna, BEN, await seal(ben, ANNA, 'answer')), 'answer')
  const onItsWay = await seal(ben, ANNA, 'under the former one')
  // Anna opens a new session from Ben's keys, as she does after a retry receipt that contains them. The message in the
  // former session must still be readable.
  await anna.openSession(BEN, ben.bundle(true))
  assert.equal(await open(anna, BEN, onItsWay), 'under the former one')
  assert.equal(await open(ben, ANNA, await seal(anna, BEN, 'under the new one')), 'under the new one')
})

test('parallel sends and receipts with one address lose no ratchet step', async () => {
  const { anna, ben } = await pair()
  await open(ben, ANNA, await seal(anna, BEN, 'start'))
  const toBen = await Promise.all(Array.from({ length: 20 }, (_, n) => seal(anna, BEN, `${n}`)))
  const read = await Promise.all(toBen.map((sealed) => open(ben, ANNA, sealed)))
  assert.deepEqual(
    read,
    Array.from({ length: 20 }, (_, n) => `${n}`),
  )
})

test('a dropped session is gone until a new one is opened', async () => {
  const { anna, ben } = await pair()
  assert.equal(anna.hasSession(BEN), true)
  anna.dropSession(BEN)
  assert.equal(anna.hasSession(BEN), false)
  await assert.rejects(seal(anna, BEN, 'lost'))
  await anna.openSession(BEN, ben.bundle(true))
  assert.equal(await open(ben, ANNA, await seal(anna, BEN, 'again')), 'again')
})

test('one-time keys are handed out once each and never run out', async () => {
  const ben = createSignalDevice()
  const ids = Array.from({ length: 60 }, () => ben.bundle(true).preKey!.id)
  assert.equal(new Set(ids).size, 60)
  assert.equal(ben.bundle(false).preKey, undefined)
})

test('a session opens without a one-time key', async () => {
  const anna = createSignalDevice()
  const ben = createSignalDevice()
  await anna.openSession(BEN, ben.bundle(false))
  assert.equal(await open(ben, ANNA, await seal(anna, BEN, 'no key left')), 'no key left')
})

test('a bundle whose signed pre-key is not signed by its identity is refused', async () => {
  const anna = createSignalDevice()
  const bundle = createSignalDevice().bundle(true)
  const forged = { ...bundle, identity: createSignalDevice().identity }
  await assert.rejects(anna.openSession(BEN, forged), /not signed/)
})

test('the Rust library opens a session with a device and both talk', async () => {
  const ben = createSignalDevice()
  const rust = createRustSide()
  await rust.openSession(BEN, ben.bundle(true))
  assert.equal(await open(ben, ANNA, await rust.encrypt(BEN, 'from rust')), 'from rust')
  for (let turn = 0; turn < 10; turn++) {
    assert.equal(await rust.decrypt(BEN, await seal(ben, ANNA, `js ${turn}`)), `js ${turn}`)
    assert.equal(await open(ben, ANNA, await rust.encrypt(BEN, `rust ${turn}`)), `rust ${turn}`)
  }
})

test('a device opens a session with the Rust library and both talk', async () => {
  const ben = createSignalDevice()
  const rust = createRustSide()
  await ben.openSession(ANNA, rust.bundle())
  const first = await seal(ben, ANNA, 'hello rust')
  assert.equal(first.type, 'pkmsg')
  assert.equal(await rust.decrypt(BEN, first), 'hello rust')
  assert.equal(rust.preKeysLeft(), 0)
  const late = await seal(ben, ANNA, 'late')
  assert.equal(await rust.decrypt(BEN, await seal(ben, ANNA, 'early')), 'early')
  assert.equal(await rust.decrypt(BEN, late), 'late')
  assert.equal(await open(ben, ANNA, await rust.encrypt(BEN, 'hello ben')), 'hello ben')
})

/** Returns a generator of numbers that depend only on the seed, so that every run has the same numbers. */
function random(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test('both sides write first at once, some messages are asked for again, and every other one is read', async () => {
  const next = random(11)
  for (let round = 0; round < 10; round++) {
    const anna = createSignalDevice()
    const ben = createSignalDevice()
    await anna.openSession(BEN, ben.bundle(true))
    await ben.openSession(ANNA, anna.bundle(true))
    const sides = [
      { own: anna, other: ben, at: BEN, from: ANNA, way: [] as Awaited<ReturnType<typeof seal>>[] },
      { own: ben, other: anna, at: ANNA, from: BEN, way: [] as Awaited<ReturnType<typeof seal>>[] },
    ]
    let sent = 0
    while (sent < 60 || sides.some(({ way }) => way.length > 0)) {
      const { own, other, at, from, way } = sides[next(2)]!
      if (next(2) === 0 && sent < 60) {
        way.push(await seal(own, at, `text ${sent++}`))
        continue
      }
      const sealed = sent > 3 ? way.shift() : undefined
      if (!sealed) continue
      if (next(12) > 0) {
        assert.match(await open(other, from, sealed), /^text/)
        continue
      }
      const ciphertext = Buffer.from(sealed.ciphertext)
      ciphertext[ciphertext.length - 8]! ^= 0xff
      await assert.rejects(open(other, from, { ...sealed, ciphertext }))
      // A new session is opened before all messages of the earlier session have arrived, as after a retry receipt with
      // keys.
      await own.openSession(at, other.bundle(true))
    }
  }
})

test('nothing of libsignal reaches the console when a peer starts over', async (t) => {
  const { anna, ben } = await pair()
  await open(ben, ANNA, await seal(anna, BEN, 'first'))
  const write = t.mock.method(process.stdout, 'write', () => true)
  const writeError = t.mock.method(process.stderr, 'write', () => true)
  await anna.openSession(BEN, ben.bundle(true))
  await open(ben, ANNA, await seal(anna, BEN, 'over'))
  await assert.rejects(ben.decrypt(ANNA, 'msg', (await seal(anna, BEN, 'a pre-key message is no plain one')).ciphertext))
  const said = [...write.mock.calls, ...writeError.mock.calls].map((call) => String(call.arguments[0])).join('')
  assert.doesNotMatch(said, /session/i)
})
