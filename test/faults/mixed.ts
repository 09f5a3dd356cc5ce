/**
 * Creates numbered messages of many kinds that the simulated network can make at little cost. For each message, the
 * expected event is known.
 */
import type { Received } from '../harness/receiver.ts'
import type { Sandbox } from '../harness/sandbox.ts'
import type { Seeded } from './seeded.ts'
import { CONTACTS, MEMBERS, PHONE } from './traffic.ts'

type Event = Received['event']

/** Earlier messages of an author in a chat, to which later messages of the same author refer. */
interface Before {
  text?: string
  poll?: string
  event?: string
  buttons?: string
  list?: string
}

interface Kind {
  name: string
  message(label: string, before: Required<Before>): Record<string, unknown>
  type: string
  /**
   * Text that the event must contain: the label of the message itself, or the id of the earlier message to which it
   * refers. Undefined if the event has a field for neither.
   */
  says?: 'label' | keyof Before
  /** The earlier message to which this message refers. This message is encrypted with the secret of that one. */
  sealedAbout?: keyof Before
  /**
   * The earlier message that this message edits or deletes without encryption. If the service cannot check that both
   * have the same author, it reports this message as unsupported.
   */
  claims?: keyof Before
}

/** Content of all files. It does not have to be valid, because the tests do not request these files. */
const BYTES = Buffer.from('a few bytes').toString('base64')
const START = 1_767_225_600

const media = (kind: string, beside: (label: string) => object, says?: 'label'): Kind => ({
  name: kind,
  type: kind === 'ptv' ? 'video' : kind,
  message: (label) => ({ [kind]: BYTES, ...beside(label) }),
  ...(says ? { says } : {}),
})

const TEXT: Kind = { name: 'text', type: 'text', says: 'label', message: (label) => ({ text: label }) }
const PICTURES: Kind[] = [
  media('image', (caption) => ({ caption }), 'label'),
  media('video', (caption) => ({ caption }), 'label'),
  media('document', (file_name) => ({ file_name }), 'label'),
]
const POLL: Kind = {
  name: 'poll',
  type: 'poll',
  says: 'label',
  message: (question) => ({ poll: { question, options: ['yes', 'no'] } }),
}

const KINDS: Kind[] = [
  TEXT,
  TEXT,
  ...PICTURES,
  POLL,
  { name: 'quote', type: 'text', says: 'label', message: (label, { text }) => ({ text: label, quote: text }) },
  media('audio', () => ({ ptt: true })),
  media('sticker', () => ({})),
  media('ptv', () => ({})),
  media('image', (caption) => ({ caption, view_once: true })),
  {
    name: 'location',
    type: 'location',
    says: 'label',
    message: (name) => ({ location: { latitude: 1, longitude: 2, name } }),
  },
  {
    name: 'live location',
    type: 'live_location',
    says: 'label',
    message: (caption) => ({ live_location: { latitude: 1, longitude: 2, caption } }),
  },
  { name: 'contact', type: 'contact', says: 'label', message: (name) => ({ contact: { name, phone: CONTACTS[0] } }) },
  { name: 'contacts', type: 'contacts', says: 'label', message: (name) => ({ contacts: [{ name, phone: CONTACTS[0] }] }) },
  { name: 'event', type: 'event', says: 'label', message: (name) => ({ event: { name, start: START } }) },
  {
    name: 'product',
    type: 'product',
    says: 'label',
    message: (title) => ({ product: { product_id: '1', title, price: 2.5 } }),
  },
  {
    name: 'order',
    type: 'order',
    says: 'label',
    message: (title) => ({ order: { order_id: '1', token: 'token', title, total: 2.5 } }),
  },
  {
    name: 'group invite',
    type: 'group_invite',
    says: 'label',
    message: (caption) => ({ group_invite: { group: '120363000000000001@g.us', code: 'code', caption } }),
  },
  {
    name: 'channel invite',
    type: 'newsletter_admin_invite',
    says: 'label',
    message: (caption) => ({ newsletter_admin_invite: { newsletter: '120363000000000002@newsletter', caption } }),
  },
  {
    name: 'buttons',
    type: 'buttons',
    says: 'label',
    message: (contentText) => ({
      proto: {
        buttonsMessage: {
          contentText,
          buttons: [{ buttonId: 'one', buttonText: { displayText: 'One' }, type: 1 }],
          headerType: 1,
        },
      },
    }),
  },
  {
    name: 'list',
    type: 'list',
    says: 'label',
    message: (description) => ({
      proto: {
        listMessage: {
          title: 'A list',
          description,
          buttonText: 'Open',
          listType: 1,
          sections: [{ title: 'Rows', rows: [{ rowId: 'one', title: 'One' }] }],
        },
      },
    }),
  },
  {
    name: 'button answer',
    type: 'buttons_response',
    says: 'buttons',
    message: (_, { buttons }) => ({ button: { message_id: buttons, id: 'one' } }),
  },
  {
    name: 'list answer',
    type: 'list_response',
    says: 'list',
    message: (_, { list }) => ({ list_row: { message_id: list, row_id: 'one' } }),
  },
  {
    name: 'unknown content',
    type: 'unsupported',
    message: (name) => ({ proto: { stickerPackMessage: { name, stickerPackId: 'pack' } } }),
  },
  {
    name: 'reaction',
    type: 'reaction',
    says: 'text',
    message: (_, { text }) => ({ reaction: { message_id: text, emoji: '👍' } }),
  },
  {
    name: 'edit',
    type: 'text',
    says: 'label',
    claims: 'text',
    message: (label, { text }) => ({ edit: { message_id: text, text: label } }),
  },
  {
    name: 'sealed edit',
    type: 'text',
    says: 'label',
    sealedAbout: 'text',
    message: (label, { text }) => ({ edit: { message_id: text, text: label, encrypted: true } }),
  },
  {
    name: 'revoke',
    type: 'notification',
    says: 'text',
    claims: 'text',
    message: (_, { text }) => ({ revoke: { message_id: text } }),
  },
  { name: 'pin', type: 'pin', says: 'text', message: (_, { text }) => ({ pin: { message_id: text, seconds: 86_400 } }) },
  {
    name: 'poll vote',
    type: 'poll_vote',
    says: 'poll',
    sealedAbout: 'poll',
    message: (_, { poll }) => ({ poll_vote: { message_id: poll, options: ['yes'] } }),
  },
  {
    name: 'event response',
    type: 'event_response',
    says: 'event',
    sealedAbout: 'event',
    message: (_, { event }) => ({ event_response: { message_id: event, response: 'going' } }),
  },
]

/** Kinds of messages to which messages of other kinds refer. Each author sends these first. */
const SPOKEN_OF = ['text', 'poll', 'event', 'buttons', 'list'] as const
const OPENING = SPOKEN_OF.map((name) => KINDS.find((kind) => kind.name === name)!)
const POSTS = [TEXT, POLL, ...PICTURES]
const STATUSES = [TEXT, PICTURES[0]!, PICTURES[1]!]
const STATUS = 'status@broadcast'

export interface Chats {
  group: string
  lidGroup: string
  channel: string
}

export async function createChats(sandbox: Sandbox): Promise<Chats> {
  for (const contact of CONTACTS) await sandbox.createContact(contact)
  const [one, two, three, four] = CONTACTS
  const group = await sandbox.createGroup({ subject: 'numbers', owner: MEMBERS[0], participants: [two, PHONE] })
  const lidGroup = await sandbox.createGroup({
    subject: 'lids',
    owner: three,
    participants: [four, PHONE],
    addressing: 'lid',
  })
  const channel = await sandbox.post<{ id: string }>('/newsletters', { owner: one, name: 'News', subscribers: [PHONE] })
  return { group: group.id, lidGroup: lidGroup.id, channel: channel.id }
}

/** One author in one chat, the kinds of messages that this author sends there, and their share of all messages. */
interface Line {
  from: string
  to: string
  kinds: readonly Kind[]
  share: number
}

const linesOf = ({ group, lidGroup, channel }: Chats): Line[] => {
  const [one, two, three, four] = CONTACTS
  return [
    ...CONTACTS.map((from) => ({ from, to: PHONE, kinds: KINDS, share: 16 })),
    ...[one, two].map((from) => ({ from, to: group, kinds: KINDS, share: 6 })),
    ...[three, four].map((from) => ({ from, to: lidGroup, kinds: KINDS, share: 5 })),
    { from: one, to: channel, kinds: POSTS, share: 6 },
    { from: one, to: STATUS, kinds: STATUSES, share: 4 },
    // The phone of the account sends these texts, in the chats with the first two contacts.
    ...[one, two].map((to) => ({ from: PHONE, to, kinds: [TEXT], share: 2 })),
  ]
}

export interface Numbered {
  number: number
  kind: Kind
  from: string
  to: string
  id: string
  /** Text that the event must contain, or null if the event has no field for it. */
  says: string | null
  about: string | null
}

export interface Mixed {
  readonly sent: readonly Numbered[]
  readonly left: number
  send(): Promise<void>
}

/**
 * Plans this number of messages, which `send` sends one after the other. Each author in each chat uses its kinds in
 * turn. The seed determines the order of these kinds, and the order of the authors and chats.
 */
export function createMixed(sandbox: Sandbox, chats: Chats, count: number, { shuffled }: Seeded): Mixed {
  const lines = linesOf(chats).map((line) => ({
    ...line,
    told: 0,
    before: {} as Before,
    turn: [...(line.kinds === KINDS ? OPENING : []), ...shuffled(line.kinds)],
  }))
  const whole = lines.reduce((sum, { share }) => sum + share, 0)
  const planned = lines.flatMap((line) => Array.from({ length: Math.floor((count * line.share) / whole) }, () => line))
  const plan = shuffled([...planned, ...Array.from({ length: count - planned.length }, () => lines[0]!)])
  const sent: Numbered[] = []

  return {
    sent,
    get left() {
      return plan.length - sent.length
    },
    async send() {
      const number = sent.length + 1
      const line = plan[number - 1]!
      const { from, to, before, turn } = line
      const kind = turn[line.told++ % turn.length]!
      const label = `number ${number} of ${kind.name}`
      const message = kind.message(label, before as Required<Before>)
      const { id } =
        from === PHONE
          ? await sandbox.sendFromPhone(from, to, message)
          : to.endsWith('@newsletter')
            ? await sandbox.post<{ id: string }>(`/newsletters/${to}/posts`, { message })
            : await sandbox.send(from, to, message)
      const says = kind.says === undefined ? null : kind.says === 'label' ? label : before[kind.says]!
      const aboutKind = kind.sealedAbout ?? kind.claims
      const about = aboutKind === undefined ? null : before[aboutKind]!
      sent.push({ number, kind, from, to, id, says, about })
      const spokenOf = SPOKEN_OF.find((name) => name === kind.name)
      if (spokenOf) before[spokenOf] = id
    },
  }
}

/**
 * Returns the id of the message's stanza. The event of an edit contains the id of the edited message, so the id of the
 * stanza is in another field.
 */
export const stanzaOf = (event: Event) => String(event.edit_message_id ?? event.message_id)

/** Whether the event has no content because the service does not know the message to which it refers. */
export const isForgotten = ({ message_type, unsupported }: Event) =>
  message_type === 'unsupported' && SEALED.has((unsupported as { proto_type: string }).proto_type)

const SEALED = new Set(['secretEncryptedMessage', 'pollUpdateMessage', 'encEventResponseMessage'])

/** Returns what is wrong in the event, or null if the event is correct for the kind of the message. */
export function wrongWith({ number, kind, says }: Numbered, event: Event): string | null {
  if (event.message_type !== kind.type) return `${number}: ${kind.name} came as ${event.message_type}`
  if (says !== null && !JSON.stringify(event).includes(says)) return `${number}: ${kind.name} does not say ${says}`
  return null
}
