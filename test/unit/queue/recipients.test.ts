import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { WAMessage } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { createCorrespondents } from '../../../workers/shard/chats/correspondents.ts'
import { createAccountDirectory } from '../../../workers/shard/directory/account-directory.ts'
import { createRecipients } from '../../../workers/shard/queue/safety/recipients.ts'
import type { Recipient } from '../../../workers/shard/queue/safety/rules.ts'
import { INSTANCE, recordingLog, sealer, tempStore } from '../storage/fixtures.ts'

const OPTIONS = { unarchives: false, fromApi: false, now: 1_800_000_000_000 }
const BEN = '5511988880002'
const BEN_WITHOUT_NINTH = '551188880002'
const LID = '81896600000002@lid'
const jidOf = (phone: string) => `${phone}@s.whatsapp.net`

async function bench(t: TestContext) {
  const context = { id: INSTANCE, store: await tempStore(t), sealer, log: recordingLog() }
  const directory = createAccountDirectory(context, { own: () => [] })
  await directory.ready()
  const said = { registered: new Map<string, string>(), lids: new Map<string, string>(), me: '' }
  const otherName = async (jid: string) => said.lids.get(jid) ?? null
  const correspondents = createCorrespondents(context, { otherName, onNew() {} })
  const recipients = createRecipients({
    directory,
    otherName,
    hasWritten: correspondents.hasWritten,
    registered: (digits) => said.registered.get(digits),
    isMe: (jid) => jid === said.me,
    onError: assert.ifError,
  })
  const found = () => new Promise<void>((resolve) => recipients.onFound(() => resolve()))
  let ids = 0
  return {
    directory,
    said,
    recipients,
    async of(phone: string) {
      const coming = found()
      const known = recipients.of(phone)
      if (known) return known
      await coming
      return recipients.of(phone)!
    },
    async write(key: Partial<WAMessage['key']>, at = 1_000) {
      const message = {
        key: { id: `3EB0${++ids}`, fromMe: false, ...key },
        message: { conversation: 'hello' },
        messageTimestamp: at,
      } as WAMessage
      await context.store.commit({ ops: await correspondents.ops(message) })
      directory.record(message, OPTIONS)
    },
  }
}

for (const [form, digits, registered] of [
  ['Brazilian number without its ninth digit', BEN_WITHOUT_NINTH, BEN],
  ['Brazilian number with a ninth digit that is not registered', BEN, BEN_WITHOUT_NINTH],
  ['Mexican number with the digit of mobiles', '5215512345678', '525512345678'],
  ['Argentine number without the digit of mobiles', '541123456789', '5491123456789'],
] as const)
  test(`a person who wrote is known under another form: a ${form}`, async (t) => {
    const { of, write, recipients } = await bench(t)
    await write({ remoteJid: LID, remoteJidAlt: jidOf(registered) })
    const person = { isPerson: true, isMe: false, isKnown: true, heardAt: 1_000 * SECOND, unanswered: 0 }
    assert.deepEqual(await of(digits), person)
    assert.ok(recipients.inChat(LID)(digits))
    await write({ remoteJid: jidOf(registered), fromMe: true })
    assert.equal((await of(digits)).unanswered, 1)
  })

test('the form that the network registered is the only one that counts, once it is known', async (t) => {
  const { of, write, said } = await bench(t)
  await write({ remoteJid: jidOf(BEN_WITHOUT_NINTH) })
  said.registered.set(BEN, jidOf(BEN))
  assert.equal((await of(BEN)).isKnown, false)
})

test('a landline has no other form', async (t) => {
  const { of, write } = await bench(t)
  await write({ remoteJid: jidOf('5511931234567') })
  assert.equal((await of('551131234567')).isKnown, false)
})

test('an answer under a LID is an answer to a number that was looked up before its LID was known', async (t) => {
  const { of, write, recipients } = await bench(t)
  assert.equal((await of(BEN)).isKnown, false)
  await write({ remoteJid: LID, remoteJidAlt: jidOf(BEN) })
  assert.ok(recipients.inChat(LID)(BEN))
  assert.ok(!recipients.inChat('81896600000003@lid')(BEN))
  assert.equal((await of(BEN)).isKnown, true, 'the directory says so without another look-up')
})

test('a person who wrote before the pairing, or before an upgrade, was heard then', async (t) => {
  const { of, directory, recipients } = await bench(t)
  const newest = { id: 'A1', fromMe: false, participant: undefined, timestamp: 900 }
  directory.learn([{ kind: 'chat', chat: { id: jidOf(BEN), conversationTimestamp: 900, newest } }])
  assert.equal((await of(BEN)).heardAt, 900 * SECOND)
  directory.record(
    { key: { remoteJid: jidOf(BEN), id: 'A2', fromMe: true }, message: { conversation: 'x' }, messageTimestamp: 950 },
    OPTIONS,
  )
  assert.equal((await of(BEN)).heardAt, 900 * SECOND)
  const other = '5511988880003'
  directory.learn([{ kind: 'chat', chat: { id: jidOf(other), conversationTimestamp: 900, newest } }])
  Object.assign(directory.chat([jidOf(other)])!, { heardAt: 0 })
  recipients.clear()
  assert.equal((await of(other)).heardAt, 900 * SECOND, 'an entry of an earlier release has no such time')
})

test('the account itself is no person, also if it was looked up before the session opened', async (t) => {
  const { of, said } = await bench(t)
  const whatIs = ({ isPerson, isMe }: Recipient) => ({ isPerson, isMe })
  assert.deepEqual(whatIs(await of(BEN)), { isPerson: true, isMe: false })
  said.me = jidOf(BEN)
  assert.deepEqual(whatIs(await of(BEN)), { isPerson: false, isMe: true })
})
