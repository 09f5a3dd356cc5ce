/**
 * The connection ends after the network has accepted a message and before it has acknowledged it. The service then
 * sends an equal message again under the same id, with the same secret, media key and link.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { type MessageCopy, unsealAbout } from '../../packages/sandbox/src/testing.ts'
import { type FileServer, serveFiles } from '../harness/file-server.ts'
import * as files from '../harness/media-files.ts'
import { chatOf } from '../harness/places.ts'
import type { InboxItem } from '../harness/sandbox.ts'
import { type Json, joinStage, type Stage } from '../harness/stage.ts'
import { startWorld, type World } from '../harness/world.ts'

const ANA = '5511988880001'
const BEN = '5511988880002'

let world: World
let web: FileServer
before(async () => {
  world = await startWorld()
  web = await serveFiles()
  for (const phone of [ANA, BEN]) await world.sandbox.createContact(phone, { name: `Contact ${phone}` })
})
after(async () => {
  await web.stop()
  await world.stop()
})

interface Line {
  sent(path: string, input: Json, method?: string): Promise<string>
  /** Sends a message while the connection ends before its acknowledgement, so that the service sends it twice. */
  twice(path: string, input: Json, method?: string): Promise<string>
  /** Makes Ana send a message. Resolves with its id when the event about it has arrived. */
  heard(message: Json): Promise<string>
  /**
   * Ends the connection at the account's next message. `unanswered`: after the network has accepted the message. `cut`:
   * before the network has accepted it.
   */
  endAt(how: 'unanswered' | 'cut'): Promise<unknown>
}

/**
 * Prepares an account for one suite. Each suite waits for seconds until the service connects again, so the suites run
 * at the same time.
 */
function useLine(phone: string): Line {
  let stage: Stage
  before(async () => {
    stage = await joinStage(world, phone)
    await world.sandbox.post(`/phones/${phone}/contacts`, { phone: ANA, name: 'Ana' })
    await stage.named()
  })

  const line: Line = {
    async sent(path, input, method = 'POST') {
      const body = method === 'POST' ? input : undefined
      const query = body ? '' : `?${new URLSearchParams(input as Record<string, string>)}`
      const { message_id: id } = await world.gateway.must(stage.instance, method, path + query, body)
      const delivery = await stage.deliveryOf(String(id))
      assert.deepEqual([delivery.status, delivery.error_code], ['sent', null], `${path}: ${delivery.error_message}`)
      return String(id)
    },
    async twice(path, input, method) {
      await line.endAt('unanswered')
      return line.sent(path, input, method)
    },
    async heard(message) {
      const { id } = await world.sandbox.send(ANA, phone, message)
      await world.receiver.waitFor(`received ${id}`, (event) => event.type === 'received' && event.message_id === id)
      return id
    },
    endAt: (how) => world.sandbox.fault({ on: 'message', match: { phone }, do: how, times: 1 }),
  }
  return line
}

/**
 * Returns a message as the contact received it. Checks that the contact decrypted two equal copies of it, and that the
 * inbox shows it once.
 */
async function copiesOf(contact: string, id: string): Promise<InboxItem> {
  for (const deadline = Date.now() + 20_000; ; ) {
    const { items } = await world.sandbox.get<{ items: MessageCopy[] }>(`/contacts/${contact}/copies/${id}`)
    const [first, second, ...more] = items.filter(({ device, read }) => device === 0 && read)
    assert.deepEqual(more, [], `${contact} got ${id} more than twice`)
    if (first && second) {
      assert.deepEqual(said(second), said(first))
      const [shown, ...others] = (await world.sandbox.inbox(contact)).filter((item) => item.id === id)
      assert.ok(shown && others.length === 0, `${contact} is shown ${id} once`)
      return shown
    }
    assert.ok(Date.now() < deadline, `${id} reached ${contact} ${first ? 'once' : 'never'}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function said({ proto, attrs, nodes }: MessageCopy) {
  // A copy may contain the group's sender key, which the other copy lacks. So the key is left out of the comparison.
  const { senderKeyDistributionMessage: _, ...message } = proto as Json
  return { message, attrs, nodes }
}

const inner = (item: InboxItem, field: string) => item.proto[field] as Json
const bytes = (value: unknown) => Buffer.from(String(value), 'base64')
const secretOf = (item: InboxItem) => (item.proto.messageContextInfo as Json | undefined)?.messageSecret

describe('a message that leaves again is the one that left', { concurrency: true }, () => {
  describe('texts, polls and events', { concurrency: 1 }, () => {
    const phone = '5511999990001'
    const line = useLine(phone)

    test('a text', async () => {
      const item = await copiesOf(ANA, await line.twice('/send-text', { phone: ANA, message: 'hi' }))
      assert.equal(item.text, 'hi')
    })

    test('a poll, whose votes stay readable', async () => {
      const id = await line.twice('/send-poll', { phone: ANA, question: 'Which?', options: ['a', 'b'] })
      assert.ok(secretOf(await copiesOf(ANA, id)))
      const { id: vote } = await world.sandbox.send(ANA, phone, { poll_vote: { message_id: id, options: ['b'] } })
      const event = (await world.receiver.waitFor(
        'the vote',
        ({ type, message_id }) => type === 'received' && message_id === vote,
      )) as Json
      assert.deepEqual((event.poll_vote as Json).options, ['b'])
    })

    test('an event with a call, with one link', async () => {
      const event = { name: 'Planning', date_time: '2030-03-02T14:00:00Z', call_link_type: 'video' }
      const item = await copiesOf(ANA, await line.twice('/send-event', { phone: ANA, event }))
      const { joinLink } = inner(item, 'eventMessage')
      assert.ok(joinLink)
      assert.ok(secretOf(item))
    })

    test('a change of an event that gives it a link, from which the next change starts', async () => {
      const event = { name: 'Planning', date_time: '2030-03-02T14:00:00Z' }
      const id = await line.sent('/send-event', { phone: ANA, event })
      const [created] = (await world.sandbox.inbox(ANA)).filter((item) => item.id === id)
      const { phones } = await world.sandbox.get<{ phones: { phone: string; lid: string }[] }>('/state')
      const lid = phones.find((own) => own.phone === phone)?.lid
      const me = created?.attrs?.to?.endsWith('@lid') ? `${lid}@lid` : `${phone}@s.whatsapp.net`
      const linkOf = ({ proto: message }: InboxItem) => {
        const sealed = message.secretEncryptedMessage as Json
        const about = { secret: bytes(secretOf(created!)), messageId: id, author: me, sender: me }
        const plain = unsealAbout(about, 'Event Edit', bytes(sealed.encPayload), bytes(sealed.encIv))
        return proto.Message.decode(plain).protocolMessage?.editedMessage?.eventMessage?.joinLink
      }
      const change = { phone: ANA, event_message_id: id, event: { ...event, call_link_type: 'video' } }
      const first = await copiesOf(ANA, await line.twice('/send-edit-event', change))
      assert.ok(linkOf(first))
      const second = await line.sent('/send-edit-event', change)
      const [next] = (await world.sandbox.inbox(ANA)).filter((item) => item.id === second)
      assert.equal(linkOf(next!), linkOf(first))
    })

    test('an item the network never saw leaves as it was composed, too', async () => {
      let fetched = 0
      const picture = await files.image('jpeg')
      const image = web.answer('/unseen', (response) => {
        fetched++
        response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end(picture)
      })
      await line.endAt('cut')
      const id = await line.sent('/send-image', { phone: ANA, image })
      const [item, ...others] = (await world.sandbox.inbox(ANA)).filter((each) => each.id === id)
      assert.ok(item)
      assert.deepEqual(others, [])
      assert.equal(fetched, 1)
    })
  })

  describe('about messages of others, pictures and buttons', { concurrency: 1 }, () => {
    const phone = '5511999990002'
    const line = useLine(phone)

    test('what is said about messages of others: a vote, an answer, a reaction', async () => {
      const poll = await line.heard({ poll: { question: 'Which?', options: ['a', 'b'], max: 1 } })
      const vote = await copiesOf(ANA, await line.twice('/send-poll-vote', { phone: ANA, poll_message_id: poll, options: ['a'] }))
      assert.ok(inner(vote, 'pollUpdateMessage').vote)
      const event = await line.heard({
        proto: {
          eventMessage: { name: 'Lunch', startTime: '1772460000' },
          messageContextInfo: { messageSecret: Buffer.alloc(32, 9).toString('base64') },
        },
      })
      const answer = { phone: ANA, event_message_id: event, event_response: 'going' }
      assert.ok(
        inner(await copiesOf(ANA, await line.twice('/send-event-response', answer)), 'encEventResponseMessage').encPayload,
      )
      const reaction = await copiesOf(ANA, await line.twice('/send-reaction', { phone: ANA, message_id: poll, reaction: '👍' }))
      assert.equal(inner(reaction, 'reactionMessage').text, '👍')
    })

    test('a picture, fetched and uploaded once', async () => {
      const picture = await files.image('jpeg')
      let fetched = 0
      const url = web.answer('/picture', (response) => {
        fetched++
        response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end(picture)
      })
      const item = await copiesOf(ANA, await line.twice('/send-image', { phone: ANA, image: url, caption: 'see' }))
      assert.ok(inner(item, 'imageMessage').mediaKey)
      assert.equal(item.media?.error, undefined)
      assert.equal(fetched, 1)
    })

    test('buttons, with the nodes they need', async () => {
      const button_actions = [{ type: 'reply', label: 'Yes', id: 'yes' }]
      const item = await copiesOf(ANA, await line.twice('/send-buttons', { phone: ANA, message: 'Which?', button_actions }))
      assert.deepEqual(
        item.nodes?.map(({ tag }) => tag),
        ['biz', 'bot'],
      )
    })
  })

  describe('where many read', { concurrency: 1 }, () => {
    const phone = '5511999990003'
    const line = useLine(phone)

    test('in a channel: a post with a file, its reaction, its edit and its removal', async () => {
      const channel = (await world.sandbox.post<{ id: string }>('/newsletters', { owner: phone, name: 'News' })).id
      const posts = async () => (await world.sandbox.get<{ items: Json[] }>(`/newsletters/${channel}/posts`)).items
      const picture = await files.image('jpeg')
      let fetched = 0
      const image = web.answer('/post', (response) => {
        fetched++
        response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end(picture)
      })
      const post = await line.twice('/send-image', { phone: channel, image, caption: 'look' })
      const [first, second, ...others] = await posts()
      assert.deepEqual(others, [])
      assert.deepEqual([first?.id, first?.media_type], [post, 'image'])
      assert.deepEqual([second?.id, second?.media_type, second?.proto], [post, 'image', first?.proto])
      assert.equal(fetched, 1)
      await line.twice('/send-reaction', { phone: channel, message_id: post, reaction: '👏' })
      await line.twice('/send-text', { phone: channel, message: 'second', edit_message_id: post })
      const [edited] = (await posts()) as { proto: { imageMessage: Json } }[]
      assert.equal(edited?.proto.imageMessage.caption, 'second')
      const removed = await line.sent('/send-text', { phone: channel, message: 'wrong' })
      await line.twice('/messages', { phone: channel, message_id: removed, owner: 'true' }, 'DELETE')
      assert.deepEqual(
        (await posts()).map(({ id }) => id),
        [post, post],
      )
    })

    test('a poll in a group', async () => {
      const members = { owner: ANA, participants: [ANA, BEN, phone] }
      const made = await world.sandbox.createGroup({ subject: 'Team', ...members, addressing: 'lid' })
      const group = chatOf(made.id)
      const id = await line.twice('/send-poll', { phone: group, question: 'Which?', options: ['a', 'b'] })
      assert.ok(secretOf(await copiesOf(ANA, id)))
      assert.ok(secretOf(await copiesOf(BEN, id)))
    })
  })

  describe('what takes something back', { concurrency: 1 }, () => {
    const phone = '5511999990004'
    const line = useLine(phone)

    test('what is said about messages of our own: an edit, a removal', async () => {
      const id = await line.sent('/send-text', { phone: ANA, message: 'good' })
      const edit = await copiesOf(ANA, await line.twice('/send-text', { phone: ANA, message: 'better', edit_message_id: id }))
      assert.equal(edit.attrs?.edit, '1')
      const removal = await copiesOf(ANA, await line.twice('/messages', { phone: ANA, message_id: id, owner: 'true' }, 'DELETE'))
      assert.equal(removal.attrs?.edit, '7')
    })

    test('a status, and its removal from those who have it', async () => {
      const id = await line.twice('/send-image-status', {
        image: `data:image/png;base64,${(await files.image('png')).toString('base64')}`,
      })
      const item = await copiesOf(ANA, id)
      assert.ok(inner(item, 'imageMessage').mediaKey)
      assert.deepEqual(item.nodes, [{ tag: 'meta', attrs: { status_setting: 'contacts' } }])
      assert.equal(item.attrs?.addressing_mode, 'lid')
      const removal = await line.twice('/messages', { phone: 'status@broadcast', message_id: id, owner: 'true' }, 'DELETE')
      assert.equal((await copiesOf(ANA, removal)).attrs?.edit, '7')
    })
  })
})
