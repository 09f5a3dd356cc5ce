import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Json, startStage } from '../harness/stage.ts'

const ME = '5511999990000'
/** A mobile number of Brazil that is registered without the ninth digit. */
const OLD_FORM = '551188880001'
const NEW_FORM = '5511988880001'
const BEN = '5511988880002'
const NOBODY = '5511988880000'

const stage = await startStage(ME)
await stage.world.sandbox.createContact(OLD_FORM, { name: 'Ana' })
await stage.world.sandbox.createContact(BEN, { name: 'Ben' })
after(() => stage.world.stop())

const read = (input: Json) => stage.world.gateway.ask(stage.instance, 'POST', '/read-message', input)
const codeOf = ({ body }: { body: Json }) => (body.error as { code: string } | undefined)?.code

async function says(from: string, to: string, text: string): Promise<string> {
  const { id } = await stage.world.sandbox.send(from, to, { text })
  await stage.world.receiver.waitFor(`received ${id}`, ({ type, message_id }) => type === 'received' && message_id === id)
  return id
}

async function told(contact: string, id: string): Promise<string[]> {
  // This text arrives after all receipts that were sent before it. So all of them have arrived by then.
  await stage.world.gateway.must(stage.instance, 'POST', '/send-text', { phone: BEN, message: 'done' })
  await stage.next(BEN)
  const { contacts } = await stage.world.sandbox.get<{ contacts: { phone: string; heard: Json[] }[] }>('/state')
  const { heard } = contacts.find(({ phone }) => phone === contact)!
  return heard
    .filter(({ kind, type, ids }) => kind === 'receipt' && type === 'read' && (ids as string[]).includes(id))
    .map(({ chat }) => String(chat))
}

// An earlier bug: a message was not found if the request had its author's number with the ninth digit and the message
// had it without, or the reverse.
test('a remembered message is read by either form of the number, and under either name', async () => {
  const lid = await lidOf(OLD_FORM)
  for (const phone of [OLD_FORM, NEW_FORM, lid]) {
    const id = await says(OLD_FORM, ME, `read by ${phone}`)
    const answer = await read({ phone, message_id: id })
    assert.deepEqual(answer.body, { value: true }, phone)
    assert.equal((await told(OLD_FORM, id)).length, 1, phone)
  }
})

// An earlier bug: the receipt was sent to the number as the request wrote it, although only the other variant of the
// number (with or without the ninth digit) is registered.
test('a message that is not remembered is read where its author really is', async () => {
  for (const phone of [OLD_FORM, NEW_FORM]) {
    const id = `3EB0FFFF${phone}`
    assert.deepEqual((await read({ phone, message_id: id })).body, { value: true })
    assert.deepEqual(await told(OLD_FORM, id), [await lidOf(OLD_FORM)], phone)
  }
})

test('in a group the author of a message that is not remembered is named as the group names it', async () => {
  for (const addressing of ['lid', 'pn'] as const) {
    const { id: group } = await stage.world.sandbox.createGroup({
      subject: addressing,
      owner: ME,
      participants: [OLD_FORM],
      addressing,
    })
    const id = `3EB0FFFFFFFFFFFFFFFF${addressing.toUpperCase()}`
    assert.equal(codeOf(await read({ phone: group, message_id: id })), 'message_not_found')
    assert.deepEqual((await read({ phone: group, message_id: id, participant: NEW_FORM })).body, { value: true })
    assert.deepEqual(await told(OLD_FORM, id), [group])
  }
})

test('a message of another chat is not found, and neither is a chat that does not exist', async () => {
  const id = await says(OLD_FORM, ME, 'mine')
  assert.equal(codeOf(await read({ phone: BEN, message_id: id })), 'message_not_found')
  assert.equal(codeOf(await read({ phone: NOBODY, message_id: '3EB0000000000000000009' })), 'chat_not_found')
})

async function lidOf(phone: string): Promise<string> {
  const { contacts } = await stage.world.sandbox.get<{ contacts: { phone: string; lid: string }[] }>('/state')
  return `${contacts.find((contact) => contact.phone === phone)!.lid}@lid`
}
