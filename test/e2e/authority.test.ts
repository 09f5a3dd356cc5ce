/**
 * Lets several senders (`SPEAKERS`) send changes of a message or chat, before and after a restart. The event must
 * report a permitted change as done, and a forbidden one as `unsupported`.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { sealAbout } from '../../packages/sandbox/src/testing.ts'
import { ANA, BEN, CAROL, type Event, ME, type Story, startStory } from './received/story.ts'

const DAN = '5511988880004'
const SECRET = Buffer.alloc(32, 7)
const jid = (phone: string) => `${phone}@s.whatsapp.net`

/**
 * The people who send a change of Ana's message. `author` is Ana herself. `stranger` is not in the group. `elsewhere`
 * is a member of the group, but sends the change in the private chat with the account.
 */
const SPEAKERS = ['author', 'admin', 'member', 'stranger', 'elsewhere', 'ownPhone'] as const
type Speaker = (typeof SPEAKERS)[number]

const PHONES: Record<Speaker, string> = { author: ANA, admin: CAROL, member: BEN, stranger: DAN, elsewhere: BEN, ownPhone: ME }

interface Target {
  id: string
  group: string
}

interface Kind {
  says(target: Target, sender: Speaker): object
  isTold(event: Event, target: Target): boolean
  by: readonly Speaker[]
}

const inGroup = (sender: Speaker) => sender !== 'stranger' && sender !== 'elsewhere'

/**
 * Returns the key by which a change names Ana's message. In a private chat the sender always claims to be the author of
 * the message.
 */
const keyOf = ({ id, group }: Target, sender: Speaker, claim: 'mine' | 'hers') => ({
  id,
  remoteJid: inGroup(sender) ? group : jid(ME),
  fromMe: claim === 'mine' || !inGroup(sender),
  ...(inGroup(sender) ? { participant: jid(ANA) } : {}),
})

function sealed({ id }: Target, sender: Speaker, purpose: 'Poll Vote' | 'Event Response' | 'Message Edit', plain: Uint8Array) {
  const about = { secret: SECRET, messageId: id, author: jid(ANA), sender: jid(PHONES[sender]) }
  const { encPayload, encIv } = sealAbout(about, purpose, plain)
  return { encPayload: Buffer.from(encPayload!).toString('base64'), encIv: Buffer.from(encIv!).toString('base64') }
}

const { PollVoteMessage, EventResponseMessage } = proto.Message
const MEMBERS = ['author', 'admin', 'member', 'ownPhone'] as const

const KINDS: Record<string, Kind> = {
  revoke: {
    says: (target, sender) => ({
      protocolMessage: { type: 'REVOKE', key: keyOf(target, sender, sender === 'author' ? 'mine' : 'hers') },
    }),
    isTold: ({ notification, reference_message_id }, { id }) => notification === 'revoke' && reference_message_id === id,
    by: ['author', 'admin', 'ownPhone'],
  },
  'revoke of it as their own': {
    says: (target, sender) => ({ protocolMessage: { type: 'REVOKE', key: keyOf(target, sender, 'mine') } }),
    isTold: ({ notification, reference_message_id }, { id }) => notification === 'revoke' && reference_message_id === id,
    by: ['author', 'admin', 'ownPhone'],
  },
  edit: {
    says: (target, sender) => ({
      protocolMessage: { type: 'MESSAGE_EDIT', key: keyOf(target, sender, 'mine'), editedMessage: { conversation: 'changed' } },
    }),
    isTold: ({ is_edit, message_id }, { id }) => is_edit === true && message_id === id,
    by: ['author'],
  },
  'sealed edit': {
    says: (target, sender) => ({
      secretEncryptedMessage: {
        targetMessageKey: keyOf(target, sender, 'mine'),
        secretEncType: 'MESSAGE_EDIT',
        ...sealed(target, sender, 'Message Edit', proto.Message.encode({ conversation: 'changed' }).finish()),
      },
    }),
    isTold: ({ is_edit, message_id }, { id }) => is_edit === true && message_id === id,
    by: ['author'],
  },
  pin: {
    says: (target, sender) => ({
      pinInChatMessage: { key: keyOf(target, sender, 'hers'), type: 'PIN_FOR_ALL' },
      messageContextInfo: { messageAddOnDurationInSecs: 86_400 },
    }),
    isTold: ({ message_type }) => message_type === 'pin',
    by: MEMBERS,
  },
  reaction: {
    says: (target, sender) => ({ reactionMessage: { key: keyOf(target, sender, 'hers'), text: '👍' } }),
    isTold: ({ message_type }) => message_type === 'reaction',
    by: MEMBERS,
  },
  vote: {
    says: (target, sender) => ({
      pollUpdateMessage: {
        pollCreationMessageKey: keyOf(target, sender, 'hers'),
        vote: sealed(
          target,
          sender,
          'Poll Vote',
          PollVoteMessage.encode({ selectedOptions: [createHash('sha256').update('Tea').digest()] }).finish(),
        ),
      },
    }),
    isTold: ({ poll_vote }) => (poll_vote as { options?: string[] } | undefined)?.options?.[0] === 'Tea',
    by: MEMBERS,
  },
  'answer to an event': {
    says: (target, sender) => ({
      encEventResponseMessage: {
        eventCreationMessageKey: keyOf(target, sender, 'hers'),
        ...sealed(
          target,
          sender,
          'Event Response',
          EventResponseMessage.encode({ response: EventResponseMessage.EventResponseType.GOING, timestampMs: 1 }).finish(),
        ),
      },
    }),
    isTold: ({ message_type }) => message_type === 'event_response',
    by: MEMBERS,
  },
  'disappearing mode': {
    says: () => ({ protocolMessage: { type: 'EPHEMERAL_SETTING', ephemeralExpiration: 86_400 } }),
    isTold: ({ notification }) => notification === 'ephemeral_setting_changed',
    // In a private chat, too, each of the two people may change the setting, so every sender may do it.
    by: SPEAKERS,
  },
  'refusal of a payment': {
    says: (target, sender) => ({ declinePaymentRequestMessage: { key: keyOf(target, sender, 'hers') } }),
    isTold: ({ notification }) => notification === 'payment_action_request_declined',
    by: MEMBERS,
  },
}

const TARGETS: Record<string, object> = {
  vote: {
    pollCreationMessageV3: {
      name: 'What?',
      options: [{ optionName: 'Tea' }, { optionName: 'Juice' }],
      selectableOptionsCount: 1,
    },
  },
  'answer to an event': { eventMessage: { name: 'Planning', startTime: 1_900_000_000 } },
}

let story: Story
let group: string

before(async () => {
  const settings = { delay_message_min_ms: 0, delay_message_max_ms: 0 }
  story = await startStory({ settings, webhooks: { notify_sent_by_me: true } })
  const { sandbox } = story.world
  await sandbox.createContact(DAN, { name: 'Dan' })
  await story.meetEverybody()
  await story.received((await sandbox.send(DAN, ME, { text: 'hello' })).id)
  group = (await sandbox.createGroup({ subject: 'Team', owner: CAROL, participants: [ANA, BEN, CAROL, ME] })).id
  // The service queries the name and the administrators of a group after the first message in it.
  await told('admin', { conversation: 'welcome' })
  await until(async () => (await told('admin', { conversation: 'again' })).chat_name === 'Team')
  // The administrators are stored after the name, and no event reports this. So the test repeats a deletion by an
  // administrator until it is permitted.
  const { says, isTold } = KINDS.revoke!
  const first = await target('revoke')
  await until(async () => isTold(await told('admin', says(first, 'admin')), first))
})
after(() => story.world.stop())

async function until(isSo: () => Promise<boolean>) {
  while (!(await isSo()));
}

async function told(sender: Speaker, message: object): Promise<Event> {
  const { sandbox } = story.world
  const to = inGroup(sender) ? group : ME
  const say = sender === 'ownPhone' ? sandbox.sendFromPhone : sandbox.send
  return story.received((await say(PHONES[sender], to, { proto: message })).id)
}

async function target(kind: string): Promise<Target> {
  const content = TARGETS[kind] ?? { conversation: 'the message' }
  const { message_id } = await told('author', { ...content, messageContextInfo: { messageSecret: SECRET.toString('base64') } })
  return { id: String(message_id), group }
}

async function whoIsBelieved(kind: string, of: Target): Promise<Speaker[]> {
  const { says, isTold } = KINDS[kind]!
  const believed: Speaker[] = []
  for (const sender of SPEAKERS) {
    const event = await told(sender, says(of, sender))
    if (isTold(event, of)) believed.push(sender)
    else assert.equal(event.message_type, 'unsupported', `${kind} by ${sender}: ${JSON.stringify(event)}`)
  }
  return believed
}

const targets = new Map<string, Target>()

for (const kind of Object.keys(KINDS))
  test(`${kind}: by whom it is told`, async () => {
    targets.set(kind, await target(kind))
    assert.deepEqual(await whoIsBelieved(kind, targets.get(kind)!), KINDS[kind]!.by)
  })

test('after a restart the same are believed, and nobody else', async () => {
  await story.world.restartService()
  await story.world.gateway.waitForStatus(story.instance, 'connected')
  const believed: Record<string, Speaker[]> = {}
  for (const [kind, of] of targets) believed[kind] = await whoIsBelieved(kind, of)
  assert.deepEqual(believed, Object.fromEntries(Object.entries(KINDS).map(([kind, { by }]) => [kind, [...by]])))
})

test('in a group that only admins change, a member neither pins nor sets the timer', async () => {
  const { sandbox } = story.world
  await sandbox.put(`/groups/${group}`, { by: CAROL, restrict: true })
  await story.notified('group_change_restrict')
  const { pin, 'disappearing mode': timer } = KINDS
  const of = targets.get('pin')!
  for (const [sender, isBelieved] of [
    ['member', false],
    ['author', false],
    ['admin', true],
    ['ownPhone', true],
  ] as const)
    for (const kind of [pin!, timer!]) {
      const event = await told(sender, kind.says(of, sender))
      assert.equal(kind.isTold(event, of), isBelieved, `${sender}: ${JSON.stringify(event)}`)
    }
})

test('who is an admin no more deletes nothing of others, from the notice on; who became one does', async () => {
  const { sandbox } = story.world
  const { revoke } = KINDS
  const of = targets.get('revoke')!
  await sandbox.post(`/groups/${group}/participants`, { by: CAROL, action: 'promote', phones: [BEN] })
  await sandbox.post(`/groups/${group}/participants`, { by: BEN, action: 'demote', phones: [CAROL] })
  await story.notified('group_participant_demote')
  assert.equal(revoke!.isTold(await told('admin', revoke!.says(of, 'admin')), of), false)
  assert.equal(revoke!.isTold(await told('member', revoke!.says(of, 'member')), of), true)
})

test('an admin of one group deletes nothing of another chat, and a person nothing of what we sent to somebody else', async () => {
  const { sandbox, gateway } = story.world
  const { id: hers } = await sandbox.send(ANA, ME, { text: 'between us' })
  await story.received(hers)
  const { message_id } = await gateway.must(story.instance, 'POST', '/send-text', { phone: ANA, message: 'to Ana' })
  const ours = String(message_id)
  await story.received(ours)
  const trap = (await sandbox.createGroup({ subject: 'Trap', owner: DAN, participants: [DAN, ME] })).id
  await story.received((await sandbox.send(DAN, trap, { text: 'one' })).id)
  for (const to of [trap, ME])
    for (const id of [hers, ours])
      for (const fromMe of [true, false]) {
        const key = { id, fromMe, remoteJid: jid(ME), ...(to === trap ? { participant: jid(fromMe ? DAN : ME) } : {}) }
        const { id: said } = await sandbox.send(DAN, to, { proto: { protocolMessage: { type: 'REVOKE', key } } })
        assert.equal((await story.received(said)).message_type, 'unsupported')
      }
  // In a private chat nobody may delete a message of the other person.
  const { id: said } = await sandbox.send(ANA, ME, {
    proto: { protocolMessage: { type: 'REVOKE', key: { id: ours, fromMe: false, remoteJid: jid(ME) } } },
  })
  assert.equal((await story.received(said)).message_type, 'unsupported')
})

test('a receipt tells something of our own messages alone, in the chat they are in', async () => {
  const { sandbox, gateway, receiver } = story.world
  await sandbox.settings({ receipts: 'none' })
  const { message_id } = await gateway.must(story.instance, 'POST', '/send-text', { phone: ANA, message: 'read this' })
  const id = String(message_id)
  await story.received(id)
  const { id: typed } = await sandbox.sendFromPhone(ME, ANA, { text: 'typed on the phone' })
  await story.received(typed)
  const { id: hers } = await sandbox.send(ANA, ME, { text: 'hers' })
  await story.received(hers)
  await sandbox.receipt(DAN, ME, [id, typed, hers], 'read')
  await sandbox.receipt(ANA, ME, [hers, id, 'never ours', typed], 'read')
  const about = (each: string) => (event: object) => {
    const { type, status, ids } = event as Event
    return type === 'message_status' && status === 'read' && (ids as string[]).includes(each)
  }
  const { ids, phone } = await receiver.waitFor('what was read', about(id))
  assert.deepEqual([ids, phone], [[id, typed], ANA])
  const read = receiver.events('message_status')
  for (const each of [hers, 'never ours']) assert.deepEqual(read.filter(about(each)), [])
  for (const each of [id, typed]) assert.equal(read.filter(about(each)).length, 1)
})
