import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BinaryNode, proto } from '@whiskeysockets/baileys'
import { addressed, messageStanza, readStanza } from '../../../../workers/shard/receive/inbox/stanza-message.ts'

const ME = { id: '5511988880001:3@s.whatsapp.net', lid: '81896604190001:3@lid' }
const ANA = '5511988880002'
const GROUP = '120363019502650977@g.us'

const part = (tag: string, content?: Uint8Array): BinaryNode => ({
  tag,
  attrs: { v: '2', type: 'msg' },
  ...(content ? { content } : {}),
})
const enc = () => part('enc', Buffer.of(1))
const stanza = (attrs: Record<string, string> = {}, content: BinaryNode[] = [enc()]): BinaryNode => ({
  tag: 'message',
  attrs: { id: 'A', from: `${ANA}:7@s.whatsapp.net`, t: '1790000000', ...attrs },
  content,
})
const padded = (message: proto.IMessage) => Buffer.concat([proto.Message.encode(message).finish(), Buffer.of(2, 2)])

function read(node: BinaryNode, ...messages: proto.IMessage[]) {
  const seen = messageStanza(node, ME)
  for (const [index, message] of [...messages.entries()].reverse()) seen.opened.set(index, padded(message))
  return readStanza(seen, ME)
}

test('only what the own devices say to each other is of a peer', () => {
  const isPeer = (attrs: Record<string, string>, me: typeof ME | undefined = ME) => messageStanza(stanza(attrs), me).isPeer
  assert.equal(isPeer({ category: 'peer', from: '5511988880001:0@s.whatsapp.net' }), true)
  assert.equal(isPeer({ category: 'peer', from: '81896604190001@lid' }), true)
  assert.equal(isPeer({ category: 'peer' }), false)
  assert.equal(isPeer({ from: '5511988880001@s.whatsapp.net' }), false)
  assert.equal(messageStanza(stanza({ category: 'peer', from: ME.id }), undefined).isPeer, false)
})

// While the account's own LID is not known, a stanza without a sender must not count as sent by the account itself.
test('a stanza that says of nobody whom it is from is of no peer', () => {
  const { from: _, ...attrs } = stanza({ category: 'peer' }).attrs
  assert.equal(messageStanza({ tag: 'message', attrs }, { id: ME.id }).isPeer, false)
})

test('its ciphertexts are the parts that are sealed, in their order', () => {
  const [first, second] = [Buffer.of(1), Buffer.of(2)]
  const node = stanza({}, [part('enc', first), part('device-identity', Buffer.of(3)), part('enc'), part('enc', second)])
  assert.deepEqual(messageStanza(node, ME).ciphertexts, [first, second])
})

test('one message under two names of its author is two stanzas, and the same one is one', () => {
  const id = (attrs: Record<string, string>) => messageStanza(stanza({ from: GROUP, ...attrs }), ME).id
  assert.equal(id({ participant: '1@lid' }), id({ participant: '1@lid', t: '1' }))
  assert.notEqual(id({ participant: '1@lid' }), id({ participant: '2@lid' }))
})

test('chat and author have no device; a stanza without an id is no message', () => {
  assert.equal(addressed(stanza(), ME).key.remoteJid, `${ANA}@s.whatsapp.net`)
  const { key } = addressed(stanza({ from: GROUP, participant: `${ANA}:7@s.whatsapp.net` }), ME)
  assert.deepEqual([key.remoteJid, key.participant, key.fromMe], [GROUP, `${ANA}@s.whatsapp.net`, false])
  const { id: _, ...attrs } = stanza().attrs
  assert.throws(() => addressed({ tag: 'message', attrs }, ME), /id/)
})

test('its parts are one message, whichever was opened first', () => {
  const distribution = { senderKeyDistributionMessage: { groupId: GROUP } }
  const node = stanza({ from: GROUP, participant: `${ANA}@s.whatsapp.net` }, [enc(), enc()])
  const { message, unknownField } = read(node, { ...distribution, conversation: 'old' }, { conversation: 'new' })
  assert.equal(message?.conversation, 'new')
  assert.equal(message?.senderKeyDistributionMessage?.groupId, GROUP)
  assert.equal(unknownField, null)
})

test('what our own phone sent is taken out of its envelope, with the secret that may stand beside it', () => {
  const beside = { messageContextInfo: { messageSecret: Buffer.alloc(32, 1) } }
  const inside = { messageContextInfo: { messageSecret: Buffer.alloc(32, 2) } }
  const sent = (message: proto.IMessage) => ({ deviceSentMessage: { destinationJid: `${ANA}@s.whatsapp.net`, message } })
  const secretOf = (message: proto.IMessage) => read(stanza(), message).message?.messageContextInfo?.messageSecret?.[0]
  assert.equal(read(stanza(), sent({ conversation: 'hi' })).message?.conversation, 'hi')
  assert.equal(secretOf({ ...sent({ conversation: 'hi' }), ...beside }), 1)
  assert.equal(secretOf({ ...sent({ conversation: 'hi', ...inside }), ...beside }), 2)
})

test('what is no message throws', () => {
  const seen = messageStanza(stanza(), ME)
  seen.opened.set(0, Buffer.of(0xff, 0xff, 0xff, 1))
  assert.throws(() => readStanza(seen, ME))
})
