/** Hostile stanzas: 5,000 made from good ones with a fixed seed. Notices, receipts and presence come of them, or nothing; nothing throws. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { z } from 'zod'
import { receivedExtras } from '../../../../src/features/received-blocks.ts'
import { stateOf } from '../../../../workers/shard/receive/presence.ts'
import type { Told } from '../../../../workers/shard/translate/inbound/family.ts'
import { groupNotices } from '../../../../workers/shard/translate/inbound/group-notice.ts'
import { mexNotices, newsletterNotices } from '../../../../workers/shard/translate/inbound/newsletter-notice.ts'
import { receiptOf } from '../../../../workers/shard/translate/inbound/receipt.ts'
import { ANA, ANA_LID, ME, testContext } from './context.ts'
import { randomOf } from './random.ts'

const ROUNDS = 5_000
const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content }
const participant = node('participant', { jid: ANA_LID, phone_number: ANA })
const mex = (json: unknown) => node('notification', { type: 'mex' }, [node('update', {}, Buffer.from(JSON.stringify(json)))])

const GROUP_CHANGES = [
  node('create', {}, [node('group', { subject: 'x' }, [participant])]),
  node('subject', { subject: 'x' }),
  node('description', {}, [node('body', {}, Buffer.from('x'))]),
  ...['announcement', 'not_announcement', 'locked', 'unlocked', 'not_ephemeral'].map((tag) => node(tag)),
  ...['add', 'remove', 'leave', 'promote', 'demote', 'modify'].map((tag) => node(tag, {}, [participant, participant])),
  node('ephemeral', { expiration: '86400' }),
  node('invite', { code: 'x' }),
  node('member_add_mode', {}, Buffer.from('admin_add')),
  node('membership_approval_mode', {}, [node('group_join', { state: 'on' })]),
  node('created_membership_requests', { request_method: 'invite_link' }, [node('requested_user', participant.attrs)]),
  node('revoked_membership_requests', {}, [participant]),
]
const SPECIMENS = [
  ...GROUP_CHANGES.map((change) =>
    node('notification', { type: 'w:gp2', from: '1@g.us', participant: ANA_LID, t: '1' }, [change]),
  ),
  node('notification', { type: 'newsletter', from: '1@newsletter' }, [
    node('participant', { jid: ANA, role: 'ADMIN' }),
    node('reaction', { message_id: '1' }, [node('reaction', { code: '👍' })]),
  ]),
  mex({ operation: 'NotificationNewsletterAdminPromote', updates: [{ jid: '1@newsletter', user: ANA }] }),
  mex({ operation: 'NotificationNewsletterAdminDemote', data: { x: { id: '1@newsletter', user: { pn: ANA } } } }),
  node('receipt', { from: ANA, id: '1', type: 'read', t: '1' }, [node('list', {}, [node('item', { id: '2' })])]),
  node('presence', { from: ANA, type: 'unavailable', last: '1' }),
  node('chatstate', { from: ANA }, [node('composing', { media: 'audio' })]),
]

const nameOf = ({ content }: Told) => (content.message_type === 'notification' ? content.notification : null)

test('the good ones give what they say', async () => {
  const context = testContext()
  const told = (await Promise.all(SPECIMENS.slice(0, GROUP_CHANGES.length).map((each) => groupNotices(each, context)))).flat()
  assert.equal(new Set(told.map(nameOf)).size, 17)
  const roles = (await Promise.all(SPECIMENS.map((each) => mexNotices(each, context)))).flat().map(({ told }) => nameOf(told))
  assert.deepEqual(roles, ['newsletter_admin_promote', 'newsletter_admin_demote'])
})

// The network names the post by its number, which no other event has as the id of a message.
test('a reaction to a post is told under the id of the post where it is known, and under its number where it is not', async () => {
  const context = testContext()
  const own = { id: '3EB0A', remoteJid: '1@newsletter', fromMe: true, server_id: '17' }
  context.remember(own, {})
  const reactionIn = async (newsletter: string, message_id: string) => {
    const stanza = node('notification', { type: 'newsletter', from: newsletter }, [
      node('reaction', { message_id }, [node('reaction', { code: '👍' })]),
    ])
    const [notice] = await newsletterNotices(stanza, context)
    const content = notice?.told.content
    assert.ok(content?.message_type === 'reaction')
    return content.reaction
  }
  const about = (phone: string, message_id: string, from_me: boolean) => ({ message_id, from_me, phone, participant: null })
  const known = await reactionIn('1@newsletter', '17')
  assert.deepEqual(known.referenced_message, about('1@newsletter', '3EB0A', true))
  // It was of 1970: one without a time is of this moment.
  assert.equal(known.time, new Date(context.now()).toISOString())
  assert.deepEqual((await reactionIn('2@newsletter', '17')).referenced_message, about('2@newsletter', '17', false))
  assert.deepEqual((await reactionIn('1@newsletter', '18')).referenced_message, about('1@newsletter', '18', false))
})

test('5,000 mutated stanzas end as notices as declared, or as nothing', async () => {
  const random = randomOf(0x5eed)
  const context = testContext()
  const TEXTS = ['', '@', 'x', '-1', '1e999', 'NaN', '1@g.us', 'é'.repeat(5_000), '__proto__', 'constructor', '{"a":', 'a@lid']
  const extras = z.object(receivedExtras).partial()

  function mutate(from: BinaryNode): BinaryNode {
    const attrs = Object.fromEntries(
      Object.entries(from.attrs).flatMap(([name, value]) =>
        random(6) === 0 ? [] : [[name, random(4) === 0 ? TEXTS[random(TEXTS.length)]! : value]],
      ),
    )
    const tag = random(12) === 0 ? TEXTS[random(TEXTS.length)]! : from.tag
    const { content } = from
    if (Array.isArray(content)) {
      const children = content.filter(() => random(6) > 0).map(mutate)
      if (random(6) === 0) children.push(mutate(SPECIMENS[random(SPECIMENS.length)]!))
      return random(10) === 0 ? node(tag, attrs, 'text') : node(tag, attrs, children)
    }
    if (content instanceof Uint8Array && random(2) === 0) return node(tag, attrs, Buffer.from(TEXTS[random(TEXTS.length)]!))
    return content === undefined ? node(tag, attrs) : node(tag, attrs, content)
  }

  let notices = 0
  const check = ({ content }: Told) => {
    notices++
    if (content.message_type === 'notification') assert.ok(extras.safeParse(content).success, JSON.stringify(content))
  }
  for (let round = 0; round < ROUNDS; round++) {
    const stanza = mutate(SPECIMENS[random(SPECIMENS.length)]!)
    for (const told of await groupNotices(stanza, context)) check(told)
    for (const { told } of await newsletterNotices(stanza, context)) check(told)
    for (const { told } of await mexNotices(stanza, context)) check(told)
    receiptOf(stanza, { id: ME }, 0)
    stateOf(stanza)
  }
  assert.ok(notices > 1_000)
})
