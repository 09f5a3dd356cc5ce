/**
 * Tests messages of an archived session. When the WebAssembly module (whatsapp-rust-bridge 0.5.4) decrypts such a
 * message, it first advances the ratchet of the current session. This damages the current session, and the first reply
 * is lost.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createSignalDevice } from '../../../../packages/sandbox/src/testing.ts'
import { GATEWAY, openDisk, openGateway, session } from './gateway.ts'

const disk = await openDisk()
after(() => disk.close())

const PN = '4915700000005@s.whatsapp.net'
const ROUNDS = 12
const MESSAGES = 60

/** Returns a generator of random numbers that are the same in every run. */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface Letter {
  type: 'pkmsg' | 'msg'
  ciphertext: Uint8Array
  text: string
}

const spoilt = ({ ciphertext }: Letter) => {
  const damaged = Buffer.from(ciphertext)
  damaged[damaged.length - 8]! ^= 0xff
  return damaged
}

test('messages of archived sessions are read, and none of the current session is lost for it', async () => {
  const next = numbers(11)
  const lost: string[] = []
  let read = 0
  for (let round = 0; round < ROUNDS; round++) {
    const { repository, bundle } = await openGateway({ store: disk.store, instanceId: `archived${round}` })
    const device = createSignalDevice()
    let preKey = 0
    await device.openSession(GATEWAY, bundle(++preKey))
    await repository.injectE2ESession({ jid: PN, session: session(device) })
    const toUs: Letter[] = []
    const toThem: Letter[] = []
    for (let sent = 0; sent < MESSAGES || toUs.length > 0 || toThem.length > 0; ) {
      const step = next(4)
      const isSpoilt = next(12) === 0
      if (step === 0 && sent < MESSAGES) {
        const text = `in ${++sent}`
        toUs.push({ ...(await device.encrypt(GATEWAY, Buffer.from(text))), text })
      } else if (step === 1 && sent < MESSAGES) {
        const text = `out ${++sent}`
        toThem.push({ ...(await repository.encryptMessage({ jid: PN, data: Buffer.from(text) })), text })
      } else if (step === 2 && sent > 3 && toUs.length > 0) {
        const letter = toUs.shift()!
        if (isSpoilt) {
          await assert.rejects(repository.decryptMessage({ jid: PN, type: letter.type, ciphertext: spoilt(letter) }))
          // The contact begins a new session after a retry receipt of the gateway, and archives the previous one.
          if (preKey < 50) await device.openSession(GATEWAY, bundle(++preKey))
          continue
        }
        const opened = repository.decryptMessage({ jid: PN, type: letter.type, ciphertext: letter.ciphertext })
        const text = await opened.then((bytes) => Buffer.from(bytes).toString()).catch(() => null)
        if (text === letter.text) read++
        else lost.push(`${round}: ${letter.text}`)
      } else if (step === 3 && sent > 3 && toThem.length > 0) {
        const letter = toThem.shift()!
        if (isSpoilt) {
          await assert.rejects(device.decrypt(GATEWAY, letter.type, spoilt(letter)))
          // The gateway begins a new session after a retry receipt of the contact.
          await repository.injectE2ESession({ jid: PN, session: session(device) })
          continue
        }
        const text = await device.decrypt(GATEWAY, letter.type, letter.ciphertext).then(String, () => null)
        if (text === letter.text) read++
        else lost.push(`${round}: ${letter.text}`)
      }
    }
  }
  assert.deepEqual(lost, [])
  assert.ok(read > ROUNDS * MESSAGES * 0.9)
})
