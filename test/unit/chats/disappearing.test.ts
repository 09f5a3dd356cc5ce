import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { keys } from '../../../src/storage/record-keys.ts'
import { createDisappearing } from '../../../workers/shard/chats/disappearing.ts'
import { INSTANCE, recordingLog, sealer, tempStore } from '../storage/fixtures.ts'
import { ANA } from '../translate/inbound/context.ts'

const BEN = '5511988880002@s.whatsapp.net'

/** Fields that phones require. They say that the setting was changed in the chat, and by whom. */
const { Initiator, Trigger } = proto.DisappearingMode
const disappearingMode = { initiator: Initiator.CHANGED_IN_CHAT, trigger: Trigger.CHAT_SETTING }

const message = {
  key: { id: '3EB0A', remoteJid: ANA },
  message: { extendedTextMessage: { text: 'gone tomorrow', contextInfo: { expiration: 86_400 } } },
}

// An earlier bug: if the stored expiry of a chat could not be read, all sends to the chat failed, and its received
// messages were lost.
test('an expiry that cannot be read is not known, and is learnt again from the next message', async (t) => {
  const store = await tempStore(t)
  const log = recordingLog()
  const disappearing = createDisappearing({ id: INSTANCE, store, sealer, log })
  await store.commit({ ops: [[keys.disappearing(INSTANCE, sealer.blind(ANA)), Buffer.from('broken')]] })
  assert.deepEqual(await disappearing.of([ANA]), {})
  await store.commit({ ops: await disappearing.ops(message) })
  assert.deepEqual(await disappearing.of([ANA]), { expiration: 86_400, disappearingMode })
})

// An earlier bug: if a member sent a setting with a time in the future, later changes by the account's own phone were
// ignored.
test('a setting is not newer than the message that tells it', async (t) => {
  const store = await tempStore(t)
  const disappearing = createDisappearing({ id: INSTANCE, store, sealer, log: recordingLog() })
  const set = async (ephemeralExpiration: number, ephemeralSettingTimestamp: number, messageTimestamp: number) => {
    const protocolMessage = { type: 3, ephemeralExpiration, ephemeralSettingTimestamp }
    await store.commit({ ops: await disappearing.ops({ key: message.key, message: { protocolMessage }, messageTimestamp }) })
  }
  await set(86_400, 4_000_000_000, 1_800_000_000)
  await set(604_800, 1_800_000_001, 1_800_000_001)
  assert.deepEqual(await disappearing.of([ANA]), {
    expiration: 604_800,
    ephemeralSettingTimestamp: 1_800_000_001,
    disappearingMode,
  })
})

test('a chat without a timer costs no read, and one that gets its timer is known at once', async (t) => {
  const disk = await tempStore(t)
  let reads = 0
  const store: typeof disk = {
    ...disk,
    get(key) {
      reads++
      return disk.get(key)
    },
  }
  const open = () => createDisappearing({ id: INSTANCE, store, sealer, log: recordingLog() })
  const disappearing = open()
  for (let n = 0; n < 3; n++) assert.deepEqual(await disappearing.of([ANA, BEN]), {})
  assert.equal(reads, 0)
  await store.commit({ ops: await disappearing.ops(message) })
  for (const each of [disappearing, open()]) assert.deepEqual(await each.of([ANA]), { expiration: 86_400, disappearingMode })
  reads = 0
  assert.deepEqual(await disappearing.of([BEN]), {})
  assert.equal(reads, 0)
  await disappearing.forget()
  assert.deepEqual(await disappearing.of([ANA]), {})
})

test('with more timers than fit in memory each is read from the disk', async (t) => {
  const store = await tempStore(t)
  const many = Array.from({ length: 5_001 }, (_, n) => [keys.disappearing(INSTANCE, `a${n}`), Buffer.of(1)] as const)
  await store.commit({ ops: many })
  const disappearing = createDisappearing({ id: INSTANCE, store, sealer, log: recordingLog() })
  await store.commit({ ops: await disappearing.ops(message) })
  assert.deepEqual(await disappearing.of([ANA]), { expiration: 86_400, disappearingMode })
})
