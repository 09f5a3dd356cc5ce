/**
 * Tests pairing codes, and the image of a QR code. Only the newest pairing code of a socket can be entered, because the
 * library keeps the code in its credentials.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readQrImage } from '../../../../packages/sandbox/src/testing.ts'
import { createPairing } from '../../../../workers/shard/connection/pairing/pairing.ts'

function codes() {
  let count = 0
  return async () => `CODE${++count}`
}

test('asking again within a minute gives the same code, later another', async () => {
  let now = 0
  const pairing = createPairing({ now: () => now })
  const request = codes()
  assert.equal(await pairing.phoneCode('111', request), 'CODE1')
  now = 59_999
  assert.equal(await pairing.phoneCode('111', request), 'CODE1')
  now = 60_000
  assert.equal(await pairing.phoneCode('111', request), 'CODE2')
})

// An earlier bug: after a code was requested for a second number, the code of the first number was still returned,
// although it was no longer valid.
test('a code for another number voids the one before', async () => {
  const pairing = createPairing({ now: () => 0 })
  const request = codes()
  assert.equal(await pairing.phoneCode('111', request), 'CODE1')
  assert.equal(await pairing.phoneCode('222', request), 'CODE2')
  assert.equal(await pairing.phoneCode('111', request), 'CODE3')
  assert.equal(await pairing.phoneCode('111', request), 'CODE3')
})

test('a code that was refused is asked for again, and its refusal takes no later one with it', async () => {
  const pairing = createPairing({ now: () => 0 })
  let refuse: ((error: Error) => void) | undefined
  const refused = pairing.phoneCode('111', () => new Promise((_, reject) => (refuse = reject)))
  const request = codes()
  assert.equal(await pairing.phoneCode('222', request), 'CODE1')
  refuse?.(new Error('refused'))
  await assert.rejects(refused, /refused/)
  assert.equal(await pairing.phoneCode('222', request), 'CODE1')
  await assert.rejects(
    pairing.phoneCode('333', async () => {
      throw new Error('refused, too')
    }),
    /too/,
  )
  assert.equal(await pairing.phoneCode('333', request), 'CODE2')
})

test('when the code expires is told by the clock that clients have, also after that was set back', async () => {
  const steady = 1_000_000
  let wall = 1_000_000
  const pairing = createPairing({ now: () => steady }, { now: () => wall })
  pairing.show({ payload: 'a', expiresAt: steady + 20_000 })
  wall -= 3_600_000
  assert.equal(pairing.current()?.expiresAt, wall + 20_000)
  const shown = pairing.wait(1_000)
  pairing.show({ payload: 'b', expiresAt: steady + 60_000 })
  assert.equal((await shown)?.expiresAt, wall + 60_000)
})

/** PNG colour type that has one byte per pixel. */
const GREY = 0
const COLOR_TYPE_AT = 25

test('the image of a code is read back, and is as small as two colours can be drawn fast', async () => {
  const payload = `https://wa.me/settings/linked_devices#2@${'aB3+'.repeat(34)},${'x'.repeat(44)},${'Q'.repeat(44)},1`
  const pairing = createPairing({ now: () => 0 })
  pairing.show({ payload, expiresAt: 20_000 })
  const image = await pairing.png()
  assert.ok(image)
  assert.equal(readQrImage(`data:image/png;base64,${image.toString('base64')}`), payload)
  assert.equal(image[COLOR_TYPE_AT], GREY)
  assert.ok(image.byteLength < 6_000, `${image.byteLength} bytes`)
})
