/**
 * Test functions (`Tell` in `story.ts`) about notifications that do not concern groups: deletions, calls, channels, the
 * account itself, and payments.
 */
import assert from 'node:assert/strict'
import { text } from './contents.ts'
import {
  ANA,
  ANA_LID,
  BEN,
  CAROL,
  chatOf,
  type Event,
  isId,
  ME,
  type Notification,
  nothingOr,
  type Story,
  type Tell,
} from './story.ts'

const about = (notification: Notification, more: Event = {}) => ({
  message_type: 'notification',
  notification,
  notification_parameters: [],
  ...more,
})

/**
 * Returns the test function about missed calls. A call is missed if nobody answers it in time, or if the caller ends it
 * before.
 */
const missedCall =
  (notification: Notification, more: { video?: boolean; inGroup?: boolean }): Tell =>
  async (story) => {
    const { sandbox, receiver } = story.world
    const { video = false, inGroup = false } = more
    const group = inGroup ? (await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, ME] })).id : null
    const place = group
      ? { phone: chatOf(group), chat_lid: null, is_group: true, participant_phone: ANA, participant_lid: ANA_LID }
      : {}
    for (const end of ['timeout', 'hangup']) {
      const { id } = await sandbox.post<{ id: string }>(`/contacts/${ANA}/call`, {
        to: ME,
        after_ms: 50,
        video,
        end,
        ...(group ? { group } : {}),
      })
      story.compare(await story.received(id), {
        message_id: id,
        ...place,
        chat_name: nothingOr(group ? 'Team' : 'Ana'),
        sender_name: null,
        ...about(notification, {
          call: {
            call_id: id,
            is_video: video,
            is_group: inGroup,
            group_id: group && chatOf(group),
            auto_rejected: false,
          },
        }),
      })
      assert.equal(receiver.events('received').filter(({ message_id }) => message_id === id).length, 1)
    }
  }

/** Returns the test function about each stanza with which the network reports a new or a former admin of a channel. */
const roleChange =
  (notification: Notification, role: 'admin' | 'subscriber'): Tell =>
  async (story) => {
    const newsletter = await channel(story)
    for (const form of ['mex', 'updates', 'participant']) {
      await story.world.sandbox.put(`/newsletters/${newsletter}/roles`, { by: BEN, phone: CAROL, role, form })
      story.compare(await story.notified(notification, ({ phone }) => phone === newsletter), {
        ...inChannel(newsletter),
        message_id: isId,
        ...about(notification, { notification_parameters: [CAROL, role] }),
      })
    }
  }

export async function channel(story: Story): Promise<string> {
  const { id } = await story.world.sandbox.post<{ id: string }>('/newsletters', { owner: BEN, name: 'News', subscribers: [ME] })
  return id
}

export const inChannel = (newsletter: string) => ({
  phone: newsletter,
  chat_lid: null,
  is_newsletter: true,
  chat_name: nothingOr('News'),
  sender_name: null,
})

/** Fields of an event about the account itself: the chat is that of the account with itself. */
const ourselves = {
  message_id: isId,
  phone: ME,
  chat_lid: (lid: unknown) => lid === null || /^\d+@lid$/.test(String(lid)),
  chat_name: (name: unknown) => name === null || typeof name === 'string',
  sender_name: null,
}

const profile = (story: Story, changes: object) => story.world.sandbox.put(`/phones/${ME}/profile`, changes)

const payment =
  (notification: Notification, field: string): Tell =>
  (story) =>
    story.fromAna(
      { proto: { [field]: { key: { id: '3EB0AA', fromMe: false } } } },
      about(notification, { reference_message_id: '3EB0AA' }),
    )

export const notices = {
  async revoke(story) {
    const { sandbox } = story.world
    const { message_id } = await story.fromAna({ text: 'Oops' }, { message_type: 'text', text: text('Oops') })
    await story.fromAna({ revoke: { message_id } }, about('revoke', { reference_message_id: message_id }))
    const newsletter = await channel(story)
    const posted = await sandbox.post<{ id: string; server_id: string }>(`/newsletters/${newsletter}/posts`, {
      message: { text: 'Hi' },
    })
    await story.received(posted.id)
    await sandbox.put(`/newsletters/${newsletter}/posts`, { post: posted.id })
    story.compare(await story.notified('revoke', ({ phone }) => phone === newsletter), {
      ...inChannel(newsletter),
      message_id: posted.id,
      newsletter_server_id: posted.server_id,
      ...about('revoke', { reference_message_id: posted.id }),
    })
  },

  call_missed_voice: missedCall('call_missed_voice', {}),
  call_missed_video: missedCall('call_missed_video', { video: true }),
  call_missed_group_voice: missedCall('call_missed_group_voice', { inGroup: true }),
  call_missed_group_video: missedCall('call_missed_group_video', { video: true, inGroup: true }),

  newsletter_admin_promote: roleChange('newsletter_admin_promote', 'admin'),
  newsletter_admin_demote: roleChange('newsletter_admin_demote', 'subscriber'),

  /**
   * The stanza names the labelled chat by number or by LID. The label of a single message must not be reported as a
   * label of the chat.
   */
  async chat_label_association(story) {
    const { sandbox } = story.world
    const put = (label: object) => sandbox.post(`/phones/${ME}/labels`, label)
    await put({ chat: ANA, label: '9', message_id: '3EB0AA' })
    for (const [chat, assigned] of [
      [ANA, true],
      [ANA_LID, false],
    ] as const) {
      await put({ chat, label: '1', assigned })
      story.compare(await story.notified('chat_label_association'), {
        message_id: isId,
        sender_name: null,
        ...about('chat_label_association', { label_associations: [{ phone: ANA, label: '1', assigned }] }),
      })
    }
  },

  async profile_name_updated(story) {
    for (const name of ['Shop', 'Shop & Co']) {
      await profile(story, { name })
      story.compare(await story.notified('profile_name_updated'), {
        ...ourselves,
        ...about('profile_name_updated', { profile_name: name }),
      })
    }
  },

  async profile_picture_updated(story) {
    const isUrl = (url: unknown) => /^https:\/\/127\.0\.0\.1:\d+\/pps\/\d+\.jpg$/.test(String(url))
    for (const [picture, updated_photo] of [
      [Buffer.from('a picture').toString('base64'), isUrl],
      ['', null],
    ] as const) {
      await profile(story, { picture })
      story.compare(await story.notified('profile_picture_updated'), {
        ...ourselves,
        ...about('profile_picture_updated', { updated_photo }),
      })
    }
  },

  payment_action_request_declined: payment('payment_action_request_declined', 'declinePaymentRequestMessage'),
  payment_action_request_cancelled: payment('payment_action_request_cancelled', 'cancelPaymentRequestMessage'),
} satisfies Partial<Record<Notification, Tell>>
