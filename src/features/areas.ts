/**
 * Areas of the API, by the prefix of an operation's id. The tags of the description and the table of operations are
 * generated from them.
 */

export interface Area {
  title: string
  description: string
}

export const AREAS: Readonly<Record<string, Area>> = {
  instance: {
    title: 'Instance: pairing, status, settings',
    description:
      'An instance is one linked device of one number: pair it by QR code or pairing code, read its status, restart it, log it out, change its settings.',
  },
  send: {
    title: 'Send: every kind of message, queued',
    description:
      'Queued sends are acknowledged immediately and leave in order; the outcome comes as a `delivery` event. `Prefer: wait` waits for it.',
  },
  messages: {
    title: 'Messages: read marks, presence',
    description: 'Mark messages as read; show typing, or the account as available.',
  },
  queue: { title: 'Queue', description: 'Messages waiting to be sent: list them, remove one or all.' },
  webhooks: {
    title: 'Webhooks',
    description: 'URLs that receive the events of an instance, filters, and the secret that signs the events.',
  },
  media: { title: 'Received files', description: 'Files of received messages. The events have the links.' },
  chats: { title: 'Chats', description: 'The chats of the account: list, archive, pin, mute, mark, clear, delete, expiry.' },
  contacts: { title: 'Contacts', description: 'Address book of the account, account look-up, pictures, blocked people.' },
  profile: { title: 'Profile', description: 'Name, about text and picture of the account.' },
  privacy: { title: 'Privacy', description: 'Privacy settings of the account, and the message timer of new chats.' },
  groups: { title: 'Groups', description: 'Groups: create, read, change, invite; their members, admins and requests to join.' },
  communities: { title: 'Communities', description: 'Communities: collections of groups, with an announcement group.' },
  newsletters: {
    title: 'Channels (newsletters)',
    description: 'Channels: find, follow and manage them. To publish, send to `<id>@newsletter`.',
  },
  business: {
    title: 'Business: profile, catalog, orders',
    description: 'Features of business accounts: profile, opening hours, catalogue, collections, orders. Best effort.',
  },
  labels: { title: 'Labels', description: 'Labels of business accounts, and the chats that have them.' },
  account: {
    title: 'Account: instances by API key',
    description: 'Instances of a workspace, its plan and the webhooks of all instances. Requires an API key.',
  },
  admin: {
    title: 'Admin: keys, security, webhook log',
    description: 'The workspace: API keys, credentials that instance routes require, subscription. Requires the admin key.',
  },
  system: {
    title: 'System: health, metrics, description',
    description: 'For operators and tools: health, metrics, this description.',
  },
}

/** Tags for kinds of messages. An operation that sends none of these kinds has the tag `send`. */
const SEND_KINDS: readonly (Area & { tag: string; names: readonly string[] })[] = [
  {
    tag: 'send-media',
    title: 'Send: media',
    description: 'Images, videos, audio, documents, stickers: by URL, data URL or base64.',
    names: ['sendImage', 'sendVideo', 'sendPtv', 'sendGif', 'sendAudio', 'sendDocument', 'sendSticker'],
  },
  {
    tag: 'send-interactive',
    title: 'Send: buttons, lists, polls',
    description: 'Messages that people answer by tapping: polls, buttons, lists, carousels. All except polls are best effort.',
    names: [
      'sendPoll',
      'sendPollVote',
      'sendButtonList',
      'sendButtons',
      'sendButtonOtp',
      'sendButtonPix',
      'sendOptionList',
      'sendCarousel',
    ],
  },
  {
    tag: 'send-commerce',
    title: 'Send: products and orders',
    description: 'Products, catalogues, orders and their status. Best effort.',
    names: ['sendProduct', 'sendCatalog', 'sendOrder', 'orderStatusUpdate'],
  },
  {
    tag: 'send-status',
    title: 'Send: status posts',
    description: 'Status posts (stories), and answers to status posts of others.',
    names: ['sendTextStatus', 'sendImageStatus', 'sendVideoStatus', 'replyStatusText', 'replyStatusGif', 'replyStatusSticker'],
  },
  {
    tag: 'send-events',
    title: 'Send: calendar events',
    description: 'Calendar events: invite, change, answer.',
    names: ['sendEvent', 'sendEditEvent', 'sendEventResponse'],
  },
  {
    tag: 'send-actions',
    title: 'Send: actions on messages',
    description: 'React, forward, pin, delete. These are queued like messages.',
    names: ['sendReaction', 'removeReaction', 'forwardMessage', 'pinMessage', 'deleteMessage'],
  },
]

export const EVENTS_TAG = 'events'
const EVENTS: Area = { title: 'Events', description: 'Events that the service posts to your webhooks.' }

export const areaOf = (id: string): string => id.slice(0, id.indexOf('.'))
const nameOf = (id: string) => id.slice(id.indexOf('.') + 1)

export function tagOf(id: string): string {
  const area = areaOf(id)
  if (area !== 'send') return area
  return SEND_KINDS.find(({ names }) => names.includes(nameOf(id)))?.tag ?? area
}

export const TAGS: readonly (Area & { tag: string })[] = [
  ...Object.entries(AREAS).flatMap(([tag, area]) => [{ tag, ...area }, ...(tag === 'send' ? SEND_KINDS : [])]),
  { tag: EVENTS_TAG, ...EVENTS },
]
