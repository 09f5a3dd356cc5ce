/**
 * Tests the request to the phone to upload a file again. With every result, no listener for the phone's answer may
 * be left.
 */
import assert from 'node:assert/strict'
import { createCipheriv, hkdfSync } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { MINUTE } from '../../../src/domain/clock.ts'
import type { UploadableFile } from '../../../src/domain/file-download.ts'
import type { MediaAnswer } from '../../../workers/shard/connection/contract.ts'
import { media } from '../../../workers/shard/operations/media.ts'
import type { ActionContext } from '../../../workers/shard/operations/types.ts'
import { askOver } from '../connection/asking.ts'

const ME = { id: '5511988880001:3@s.whatsapp.net' }
const mediaKey = Buffer.alloc(32, 7)
const key = { id: 'A', remoteJid: '5511988880002@s.whatsapp.net', fromMe: false }
const file = { key, mediaKey } as unknown as UploadableFile

const { SUCCESS, NOT_FOUND } = proto.MediaRetryNotification.ResultType

function sealed(result: number, directPath?: string) {
  const iv = Buffer.alloc(12, 1)
  const secret = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(0), 'WhatsApp Media Retry Notification', 32))
  const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(Buffer.from(key.id))
  const said = proto.MediaRetryNotification.encode({ stanzaId: key.id, result, ...(directPath ? { directPath } : {}) }).finish()
  return { iv, ciphertext: Buffer.concat([cipher.update(said), cipher.final(), cipher.getAuthTag()]) }
}

function phone({ me = ME as typeof ME | null, sendNode = async () => {} } = {}) {
  const listeners = new Set<(answer: MediaAnswer) => void>()
  const ending = new AbortController()
  const session = {
    me,
    ended: ending.signal,
    onMediaAnswer(listener: (answer: MediaAnswer) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const ask = askOver({ sendNode }, ending.signal)
  return {
    asked: media['media.askAgain']({ ask, session } as unknown as ActionContext, file),
    says(answer: object, id = key.id) {
      for (const listener of listeners) listener({ key: { ...key, id }, ...answer })
    },
    end: () => ending.abort(),
    listeners: () => listeners.size,
  }
}

test('the phone says where the file lies now', async () => {
  const { asked, says, listeners } = phone()
  says({ media: sealed(SUCCESS, '/v/other') }, 'B')
  says({ media: sealed(SUCCESS, '/v/again') })
  assert.equal(await asked, '/v/again')
  assert.equal(listeners(), 0)
})

type Phone = ReturnType<typeof phone>

const ENDS: {
  what: string
  code?: string
  of?: Parameters<typeof phone>[0]
  meanwhile?: (phone: Phone, t: TestContext) => void
}[] = [
  { what: 'it refuses', meanwhile: ({ says }) => says({ media: sealed(NOT_FOUND) }) },
  { what: 'the network refuses for it', meanwhile: ({ says }) => says({ error: new Error('not found') }) },
  {
    what: 'it answers under another key',
    meanwhile: ({ says }) => says({ media: { ...sealed(SUCCESS, '/v'), iv: Buffer.alloc(12) } }),
  },
  { what: 'it says nothing', meanwhile: (_, t) => t.mock.timers.tick(MINUTE) },
  { what: 'the connection ends', code: 'instance_not_connected', meanwhile: ({ end }) => end() },
  { what: 'the question does not leave', of: { sendNode: () => Promise.reject(new Error('not sent')) } },
  { what: 'the question cannot be made', of: { me: null } },
]

for (const { what, code = 'media_download_failed', of, meanwhile } of ENDS)
  test(`when ${what}, that is told, and nobody listens any more`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const played = phone(of)
    meanwhile?.(played, t)
    await assert.rejects(played.asked, { code })
    assert.equal(played.listeners(), 0)
  })
