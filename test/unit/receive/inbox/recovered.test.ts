import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { createLog } from '../../../../src/log.ts'
import { createRecovered } from '../../../../workers/shard/receive/inbox/recovered.ts'
import { createWaitingMessages } from '../../../../workers/shard/receive/waiting/waiting-messages.ts'
import { INSTANCE, START, sealer, tempStore } from '../../storage/fixtures.ts'
import { ANA, ANA_LID } from '../../translate/inbound/context.ts'

const ID = '3EB0A'
const GROUP = '120363000000000001@g.us'
const STRANGER = '5511977770000@s.whatsapp.net'
const node = { tag: 'message', attrs: { t: '1767225600' }, content: [] }

// An earlier bug: recovered content was given to the first waiting message with its id, even if that message was in
// another chat.
test('what comes again is told in its own chat, whoever else used its id before', async (t) => {
  const log = createLog({ level: 'silent' }, 'test')
  const waiting = createWaitingMessages({
    instance: INSTANCE,
    store: await tempStore(t),
    sealer,
    clock: { now: () => START },
    log,
    outbox: { append: () => assert.fail('nothing is told as waiting'), committed: () => {} },
    event: async () => 'later',
    unreported() {},
  })
  t.after(() => waiting.stop())
  const translated: unknown[] = []
  const recovered = createRecovered({
    inbound: {
      async message({ key, message }) {
        translated.push([key.remoteJid, key.participant, message?.conversation])
        return 'unwanted'
      },
    },
    once: async (_, make) => void (await make()),
    alongside: async () => [],
    waiting,
    log,
    onMessage: () => {},
  })
  await waiting.add({ id: ID, remoteJid: STRANGER, fromMe: false }, node)
  await waiting.add({ id: ID, remoteJid: GROUP, participant: ANA_LID, participantAlt: ANA, fromMe: false }, node)
  const webMessageInfoBytes = proto.WebMessageInfo.encode({
    key: { id: ID, remoteJid: GROUP, participant: ANA, fromMe: false },
    message: { conversation: 'hello' },
  }).finish()
  const peerDataOperationResult = [{ placeholderMessageResendResponse: { webMessageInfoBytes } }]
  await recovered({ protocolMessage: { peerDataOperationRequestResponseMessage: { peerDataOperationResult } } })
  assert.deepEqual(translated, [[GROUP, ANA_LID, 'hello']])
})
