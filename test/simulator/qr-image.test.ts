import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { PNG } from 'pngjs'
import { toDataURL } from 'qrcode'
import { readQrImage } from '../../packages/sandbox/src/testing.ts'

function pairingText(): string {
  const keys = [randomBytes(32), randomBytes(32), randomBytes(32)].map((key) => key.toString('base64'))
  return `https://wa.me/settings/linked_devices#2@${randomBytes(100).toString('base64')},${keys.join(',')},1`
}

test('a code drawn as the gateway draws it is read back', async () => {
  for (let round = 0; round < 5; round++) {
    const text = pairingText()
    assert.equal(readQrImage(await toDataURL(text, { width: 512 })), text)
  }
})

test('a picture without a code is refused', () => {
  const blank = new PNG({ width: 64, height: 64, fill: true })
  const image = `data:image/png;base64,${PNG.sync.write(blank).toString('base64')}`
  assert.throws(() => readQrImage(image), { code: 'invalid_request', message: /no QR code/ })
})

test('what is no PNG data URL is refused', () => {
  assert.throws(() => readQrImage('https://example.com/code.png'), { code: 'invalid_request', message: /data URL/ })
  assert.throws(() => readQrImage('data:image/png;base64,bm90IGEgcG5n'), {
    code: 'invalid_request',
    message: /not a readable PNG/,
  })
})
