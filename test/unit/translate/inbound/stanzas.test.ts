/** Makes 5,000 hostile stanzas from valid ones, with a fixed seed. The translation must not throw for any of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { z } from 'zod'
import { receivedExtras } from '../../../../src/features/received/extras.ts'
import type { Translated } from '../../../../workers/shard/translate/inbound/family.ts'
import { groupNotices } from '../../../../workers/shard/translate/inbound/group-notice.ts'
import { mexNotices, newsletterNotices } from '../../../../workers/shard/translate/inbound/newsletter-notice.ts'
import { receiptOf } from '../../../../workers/shard/translate/inbound/receipt.ts'
import { stateOf } from '../../../../workers/shard/wire/presence.ts'
import { ME, testContext } from './context.ts'
import { randomOf } from './random.ts'
import { GROUP_CHANGES, node, STANZAS } from './stanzas.ts'

const ROUNDS = 5_000
const nameOf = ({ content }: Translated) => (content.message_type === 'notification' ? content.notification : null)

test('the good ones give what they say', async () => {
  const context = testContext()
  const translated = (await Promise.all(STANZAS.slice(0, GROUP_CHANGES.length).map((each) => groupNotices(each, context)))).flat()
  assert.equal(new Set(translated.map(nameOf)).size, 17)
  const roles = (await Promise.all(STANZAS.map((each) => mexNotices(each, context))))
    .flat()
    .map(({ translated }) => nameOf(translated))
  assert.deepEqual(roles, ['newsletter_admin_promote', 'newsletter_admin_demote'])
})

// The network names the post by its number, but other events have the id of the post.
test('a reaction to a post is told under the id of the post where it is known, and under its number where it is not', async () => {
  const context = testContext()
  const own = { id: '3EB0A', remoteJid: '1@newsletter', fromMe: true, server_id: '17' }
  context.remember(own, {})
  const reactionIn = async (newsletter: string, message_id: string) => {
    const stanza = node('notification', { type: 'newsletter', from: newsletter }, [
      node('reaction', { message_id }, [node('reaction', { code: '👍' })]),
    ])
    const [notice] = await newsletterNotices(stanza, context)
    const content = notice?.translated.content
    assert.ok(content?.message_type === 'reaction')
    return content.reaction
  }
  const about = (phone: string, message_id: string, from_me: boolean) => ({ message_id, from_me, phone, participant: null })
  const known = await reactionIn('1@newsletter', '17')
  assert.deepEqual(known.referenced_message, about('1@newsletter', '3EB0A', true))
  // An earlier bug: an event whose stanza has no time got the time 1970 instead of the current time.
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
      if (random(6) === 0) children.push(mutate(STANZAS[random(STANZAS.length)]!))
      return random(10) === 0 ? node(tag, attrs, 'text') : node(tag, attrs, children)
    }
    if (content instanceof Uint8Array && random(2) === 0) return node(tag, attrs, Buffer.from(TEXTS[random(TEXTS.length)]!))
    return content === undefined ? node(tag, attrs) : node(tag, attrs, content)
  }

  let notices = 0
  const check = ({ content }: Translated) => {
    notices++
    if (content.message_type === 'notification') assert.ok(extras.safeParse(content).success, JSON.stringify(content))
  }
  for (let round = 0; round < ROUNDS; round++) {
    const stanza = mutate(STANZAS[random(STANZAS.length)]!)
    for (const translated of await groupNotices(stanza, context)) check(translated)
    for (const { translated } of await newsletterNotices(stanza, context)) check(translated)
    for (const { translated } of await mexNotices(stanza, context)) check(translated)
    receiptOf(stanza, { id: ME }, 0)
    stateOf(stanza)
  }
  assert.ok(notices > 1_000)
})

// In this stanza, neither person has a second address. If two missing addresses counted as equal, the person would
// appear to have left.
test('whom an admin removes has not left', async () => {
  const context = testContext()
  const [admin, member] = ['5511999990001@s.whatsapp.net', '5511999990002@s.whatsapp.net']
  const removalBy = async (participant: string) => {
    const removed = node('remove', {}, [node('participant', { jid: member })])
    const notice = node('notification', { type: 'w:gp2', from: '120363019502650977@g.us', participant }, [removed])
    return (await groupNotices(notice, context)).map(nameOf)
  }
  assert.deepEqual(await removalBy(admin), ['group_participant_remove'])
  assert.deepEqual(await removalBy(member), ['group_participant_leave'])
})
