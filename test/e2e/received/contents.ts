/**
 * Test functions (`Tell` in `story.ts`) about messages that a person sends, and about what a person does with a
 * message.
 */
import { ANA, BEN, BEN_LID, chatOf, type Event, type Fits, isTime, ME, nothingOr, type Story, type Tell } from './story.ts'

export const text = (message: string) => ({ message, title: null, description: null, url: null })

/** Makes Ana send a text, to which a later message of the same test refers. */
const hers = (story: Story, message: string) => story.fromAna({ text: message }, { message_type: 'text', text: text(message) })

const inGroups =
  (tell: (group: { id: string; say: Say; chat: string; story: Story }) => Promise<unknown>): Tell =>
  async (story) => {
    const { sandbox } = story.world
    for (const addressing of ['lid', 'pn'] as const) {
      const { id } = await sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, BEN, ME], addressing })
      const say: Say = async (from, message, expected) => {
        const sent = await sandbox.send(from, id, message)
        const about = from === BEN ? byBen : { participant_phone: ANA, participant_lid: story.full({}).chat_lid }
        const place = { phone: chatOf(id), chat_lid: null, chat_name: nothingOr('Team'), is_group: true, ...about }
        story.compare(await story.received(sent.id), { ...place, message_id: sent.id, ...expected })
        return sent.id
      }
      await tell({ id, say, chat: chatOf(id), story })
    }
  }
type Say = (from: string, message: unknown, expected: Event) => Promise<string>
const byBen = { sender_name: 'Ben', participant_phone: BEN, participant_lid: BEN_LID }

const which = { question: 'Which day?', options: ['Monday', 'Tuesday'] }
const aPoll = (say: Say) =>
  say(ANA, { poll: { ...which, max: 1 } }, { message_type: 'poll', poll: { ...which, poll_max_options: 1 } })

const planning = { name: 'Planning', start: '2026-03-02T14:00:00Z', location: { latitude: 0, longitude: 0, name: 'Room 2' } }
const anEvent = (say: Say) =>
  say(
    ANA,
    { event: planning },
    {
      message_type: 'event',
      event: {
        name: 'Planning',
        description: null,
        canceled: false,
        date_time: '2026-03-02T14:00:00.000Z',
        end_date_time: null,
        join_link: null,
        extra_guests_allowed: false,
        location: { name: 'Room 2', address: null, latitude: null, longitude: null },
      },
    },
  )

const vcard = 'BEGIN:VCARD\nVERSION:3.0\nFN:Support\nTEL;type=CELL;waid=5511900002222:+55 11 90000-2222\nEND:VCARD'
const support = { display_name: 'Support', vcard, phones: ['5511900002222'] }
const nobody = { display_name: 'Nobody', vcard: 'BEGIN:VCARD\nEND:VCARD' }

export const contents = {
  async text(story) {
    await story.fromAna({ text: 'Hello' }, { message_type: 'text', text: text('Hello') })
    const extendedTextMessage = { text: 'See', title: 'Promo', description: 'Only today', matchedText: 'https://fb.me/x' }
    await story.fromAna(
      { proto: { extendedTextMessage } },
      { message_type: 'text', text: { message: 'See', title: 'Promo', description: 'Only today', url: 'https://fb.me/x' } },
    )
  },

  async location(story) {
    const place = { latitude: -23.5645, longitude: -46.6527, name: 'Head office', address: 'Av. Paulista, 1000' }
    await story.fromAna({ location: place }, { message_type: 'location', location: { ...place, url: null } })
  },

  async live_location(story) {
    const point = { latitude: 1.5, longitude: 2.5, accuracy_meters: 12, speed_mps: 0, sequence: 1_767_225_600_000_001 }
    await story.fromAna(
      { live_location: point },
      { message_type: 'live_location', live_location: { ...point, bearing_degrees: null, caption: null } },
    )
  },

  async contact(story) {
    await story.fromAna(
      { contact: { display_name: 'Support', vcard } },
      {
        message_type: 'contact',
        contact: support,
      },
    )
  },

  async contacts(story) {
    await story.fromAna(
      { contacts: [{ display_name: 'Support', vcard }, nobody] },
      { message_type: 'contacts', contacts: [support, { ...nobody, phones: [] }] },
    )
  },

  /**
   * Reactions to a message of the account and to a message of Ana, and their removal. Also encrypted reactions in the
   * announcement group of a community, and a reaction of an unknown person to a post.
   */
  async reaction(story) {
    const { gateway, sandbox } = story.world
    const told = (value: string, referenced_message: Event, by: string | Fits = ANA) => ({
      message_type: 'reaction',
      reaction: { value, time: isTime, reaction_by: by, referenced_message },
    })
    const ours = await gateway.sendText(story.instance, ANA, 'Ready')
    await sandbox.inbox(ANA, 0, 10_000)
    const { message_id } = await hers(story, 'Mine')
    for (const [target, from_me, emoji] of [
      [ours.message_id, true, '❤️'],
      [message_id, false, '👍'],
      [ours.message_id, true, ''],
    ] as const)
      await story.fromAna(
        { reaction: { message_id: target, emoji } },
        told(emoji, { message_id: target, from_me, phone: ANA, participant: null }),
      )
    const { announcement_id } = await sandbox.post<{ announcement_id: string }>('/communities', {
      owner: ANA,
      name: 'Everybody',
      participants: [BEN, ME],
    })
    const place = {
      phone: chatOf(announcement_id),
      chat_lid: null,
      chat_name: nothingOr('Everybody'),
      is_group: true,
    }
    const announcement = await sandbox.send(ANA, announcement_id, { text: 'Tomorrow' })
    await story.received(announcement.id)
    const sealed = await sandbox.send(BEN, announcement_id, {
      reaction: { message_id: announcement.id, emoji: '🎉', encrypted: true },
    })
    story.compare(await story.received(sealed.id), {
      ...place,
      ...byBen,
      message_id: sealed.id,
      ...told('🎉', { message_id: announcement.id, from_me: false, phone: place.phone, participant: ANA }, BEN),
    })
  },

  poll: inGroups(({ say }) => aPoll(say)),

  poll_vote: inGroups(async ({ say }) => {
    const poll_message_id = await aPoll(say)
    for (const options of [['Tuesday'], []])
      await say(
        BEN,
        { poll_vote: { message_id: poll_message_id, options } },
        { message_type: 'poll_vote', poll_vote: { poll_message_id, options, unknown_options: 0 } },
      )
  }),

  event: inGroups(({ say }) => anEvent(say)),

  event_response: inGroups(async ({ say, chat }) => {
    const message_id = await anEvent(say)
    for (const response of ['going', 'not_going', 'maybe'])
      await say(
        BEN,
        { event_response: { message_id, response } },
        {
          message_type: 'event_response',
          event_response: {
            response,
            response_from: BEN,
            time: isTime,
            referenced_message: { message_id, from_me: false, phone: chat, participant: ANA },
          },
        },
      )
  }),

  pin: inGroups(async ({ say, chat }) => {
    const message_id = await aPoll(say)
    for (const seconds of [86_400, 0])
      await say(
        BEN,
        { pin: { message_id, seconds } },
        {
          message_type: 'pin',
          pin: {
            action: seconds ? 'pin' : 'unpin',
            pin_duration_seconds: seconds,
            referenced_message: { message_id, from_me: false, phone: chat, participant: ANA },
          },
        },
      )
  }),

  async unsupported(story) {
    await story.fromAna(
      { proto: { stickerPackMessage: { stickerPackId: '1', name: 'Cats' } } },
      { message_type: 'unsupported', unsupported: { proto_type: 'stickerPackMessage' } },
    )
  },
} satisfies Record<string, Tell>
