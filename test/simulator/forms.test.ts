import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { type BinaryNode, decryptEventResponse, decryptPollVote, proto, type WAMessage } from '@whiskeysockets/baileys'
import { node, type Settings, startMediaHost, unsealAbout, withMedia } from '../../packages/sandbox/src/testing.ts'
import { column } from '../harness/columns.ts'
import { startSimulator } from '../harness/network.ts'
import { jidOf, pair } from './client.ts'

/**
 * Tests messages that refer to other messages, such as votes and edits. People send them, and an unmodified client
 * receives them, in chats that address people by number or by LID.
 */

const PHONE = '5511900000001'
const CONTACT = '5511900000002'

const media = await startMediaHost()
const simulator = await startSimulator({ mediaHost: { host: media.host, upload: media.put } })
simulator.control.createPhone({ phone: PHONE })
simulator.control.createContact(CONTACT, { name: 'Ben' })
const client = await pair(simulator, PHONE)

after(async () => {
  await client.close()
  await simulator.stop()
  await media.stop()
})

async function say(message: Record<string, unknown>, to = PHONE): Promise<WAMessage> {
  const { id } = await simulator.control.sendFromContact(CONTACT, to, message)
  return client.until(() => client.messages.find((found) => found.key.id === id && found.message), `the message ${id}`)
}

async function nextInInbox(send: () => Promise<unknown>) {
  const { items } = await simulator.control.inbox(CONTACT, 0, 0)
  await send()
  const news = await simulator.control.inbox(CONTACT, items.at(-1)?.seq ?? 0, 10_000)
  return news.items[0]!
}

test('a device without any of a collection gets it whole, as a file; one that has some of it gets what came since', async () => {
  const ask = async (attrs: Record<string, string>) => {
    const collection = node('collection', { name: 'critical_block', ...attrs })
    const query = node('iq', { to: '@s.whatsapp.net', type: 'set', xmlns: 'w:sync:app:state' }, [node('sync', {}, [collection])])
    const answer = (await client.socket.query(query)) as BinaryNode
    const [sync] = answer.content as BinaryNode[]
    const [listed] = sync!.content as BinaryNode[]
    return { version: listed!.attrs.version, parts: (listed!.content as BinaryNode[] | undefined) ?? [] }
  }
  const { version, parts } = await ask({ version: '0', return_snapshot: 'true' })
  assert.deepEqual(column(parts, 'tag'), ['snapshot'])
  const { directPath } = proto.ExternalBlobReference.decode(parts[0]!.content as Uint8Array)
  assert.ok(await media.get(directPath!), 'the file is on the media host')
  const patched = await ask({ version: '0', return_snapshot: 'false' })
  assert.deepEqual(column(patched.parts, 'tag'), ['patches'])
  assert.deepEqual((await ask({ version: version!, return_snapshot: 'false' })).parts, [])
  assert.deepEqual(await ask({ name: 'regular_high', version: '0', return_snapshot: 'true' }), { version: '0', parts: [] })
})

const ADDRESSINGS: Settings['addressing'][] = ['pn', 'lid']

/**
 * Returns the JID of a person, according to whether the chat addresses its members by number or by LID. Encrypted
 * content that refers to a message uses this JID.
 */
const nameIn = (addressing: Settings['addressing'], phone: string) =>
  addressing === 'lid' ? `2${phone.padStart(14, '0')}@lid` : jidOf(phone)

for (const addressing of ADDRESSINGS) {
  test(`a contact's reaction to the client's own message names it as the client's (${addressing})`, async () => {
    simulator.control.settings({ addressing })
    const item = await nextInInbox(() => client.socket.sendMessage(jidOf(CONTACT), { text: `mine ${addressing}` }))
    const reaction = await say({ reaction: { message_id: item.id, emoji: '🎉' } })
    assert.deepEqual(
      [reaction.message?.reactionMessage?.key?.fromMe, reaction.message?.reactionMessage?.key?.id],
      [true, item.id],
    )
  })

  test(`a contact's vote in the client's poll is opened with the client's secret (${addressing})`, async () => {
    simulator.control.settings({ addressing })
    const sent: WAMessage[] = []
    const item = await nextInInbox(async () => {
      const poll = { name: 'Lunch?', values: ['Soup', 'Salad'], selectableCount: 1 }
      sent.push((await client.socket.sendMessage(jidOf(CONTACT), { poll }))!)
    })
    assert.equal(item.kind, 'poll')
    const vote = await say({ poll_vote: { message_id: item.id, options: ['Soup'] } })
    const { selectedOptions } = decryptPollVote(vote.message!.pollUpdateMessage!.vote!, {
      pollCreatorJid: nameIn(addressing, PHONE),
      pollMsgId: item.id,
      pollEncKey: sent[0]!.message!.messageContextInfo!.messageSecret!,
      voterJid: nameIn(addressing, CONTACT),
    })
    assert.deepEqual(Buffer.from(selectedOptions[0]!), createHash('sha256').update('Soup').digest())
  })

  test(`an answer to the contact's own event and a sealed edit are opened with the original's secret (${addressing})`, async () => {
    simulator.control.settings({ addressing })
    const event = await say({ event: { name: 'Party', start: 1_900_000_000 } })
    const secret = event.message!.messageContextInfo!.messageSecret!
    const answer = await say({ event_response: { message_id: event.key.id, response: 'going' } })
    const { response } = decryptEventResponse(answer.message!.encEventResponseMessage!, {
      eventCreatorJid: nameIn(addressing, CONTACT),
      eventMsgId: event.key.id!,
      eventEncKey: secret,
      responderJid: nameIn(addressing, CONTACT),
    })
    assert.equal(response, proto.Message.EventResponseMessage.EventResponseType.GOING)

    const original = await say({ text: 'before' })
    const edit = await say({ edit: { message_id: original.key.id, text: 'after', encrypted: true } })
    const sealed = edit.message!.secretEncryptedMessage!
    const about = {
      secret: original.message!.messageContextInfo!.messageSecret!,
      messageId: original.key.id!,
      author: nameIn(addressing, CONTACT),
      sender: nameIn(addressing, CONTACT),
    }
    const inner = proto.Message.decode(unsealAbout(about, 'Message Edit', sealed.encPayload!, sealed.encIv!))
    assert.equal(inner.protocolMessage?.editedMessage?.conversation, 'after')
  })

  test(`quotes, mentions, ads and expiry arrive in a group and alone (${addressing})`, async () => {
    simulator.control.settings({ addressing })
    const group = simulator.control.createGroup({ subject: 'Team', owner: CONTACT, participants: [PHONE], addressing })
    for (const to of [PHONE, group.id]) {
      const first = await say({ text: 'first' }, to)
      const second = await say(
        { text: 'look', quote: first.key.id, mentions: [PHONE], ad: { title: 'Promo', source_id: '7' }, ephemeral_seconds: 60 },
        to,
      )
      const info = second.message?.extendedTextMessage?.contextInfo
      assert.equal(info?.stanzaId, first.key.id)
      assert.equal(info?.quotedMessage?.conversation, 'first')
      assert.match(info?.mentionedJid?.[0] ?? '', addressing === 'lid' ? /@lid$/ : /@s\.whatsapp\.net$/)
      assert.deepEqual([info?.externalAdReply?.title, info?.expiration], ['Promo', 60])
      const revoke = await say({ revoke: { message_id: second.key.id } }, to)
      assert.equal(revoke.message?.protocolMessage?.key?.id, second.key.id)
    }
  })
}

test("a contact answers the client's buttons and lists", async () => {
  const buttons = [
    { name: 'quick_reply', buttonParamsJson: JSON.stringify({ display_text: 'Yes', id: 'y' }) },
    {
      name: 'single_select',
      buttonParamsJson: JSON.stringify({ title: 'All', sections: [{ rows: [{ id: 'r', title: 'Row' }] }] }),
    },
  ]
  const content = { interactiveMessage: { body: { text: 'Well?' }, nativeFlowMessage: { buttons, messageVersion: 1 } } }
  const item = await nextInInbox(() => client.socket.relayMessage(jidOf(CONTACT), content, {}))
  const pressed = await say({ button: { message_id: item.id, id: 'y' } })
  assert.equal(pressed.message?.interactiveResponseMessage?.body?.text, 'Yes')
  const chosen = await say({ list_row: { message_id: item.id, row_id: 'r' } })
  assert.match(chosen.message?.interactiveResponseMessage?.nativeFlowResponseMessage?.paramsJson ?? '', /"id":"r"/)
})

test('a phone sends, and its linked client sees the message as its own', async () => {
  const { id } = await simulator.control.sendFromPhone(PHONE, CONTACT, { text: 'typed on the phone' })
  const own = await client.until(() => client.messages.find((found) => found.key.id === id && found.message), 'the own message')
  assert.deepEqual([own.key.fromMe, own.message?.conversation], [true, 'typed on the phone'])
})

test('an inbox tells when media cannot be opened', async () => {
  const fileSha256 = createHash('sha256').update('x').digest()
  const imageMessage = {
    directPath: `/v/image/${'A'.repeat(43)}`,
    mediaKey: Buffer.alloc(32),
    fileSha256,
    fileLength: 1,
    mimetype: 'a/b',
  }
  const control = withMedia(simulator.control, media)
  const { id } = await nextInInbox(() => client.socket.relayMessage(jidOf(CONTACT), { imageMessage }, {}))
  const { items } = await control.inbox(CONTACT, 0, 0)
  const item = items.find((each) => each.id === id)
  assert.deepEqual([item?.media?.bytes, item?.media?.error], [0, `nothing is at ${imageMessage.directPath}`])
})

test('nothing was lost on the way', () => {
  const { undecryptable, unknown_queries } = simulator.control.stats()
  assert.deepEqual([undecryptable, unknown_queries, simulator.control.failures()], [0, [], []])
})
