/**
 * Answers in the form that clients of the gateway `zapi` read. Fields are in camelCase. Some answers repeat values
 * under the names of that gateway.
 */
import { inCamelCase } from '../../domain/camel-case.ts'

type Answer = Readonly<Record<string, unknown>>

const part = (value: unknown) => (value ?? {}) as Answer
const list = (value: unknown) => (value ?? []) as readonly Answer[]

const millis = (iso: unknown) => (typeof iso === 'string' ? Date.parse(iso) : null)
const seconds = (iso: unknown) => (typeof iso === 'string' ? String(Math.floor(Date.parse(iso) / 1_000)) : null)
const bit = (flag: unknown) => (flag ? '1' : '0')
const upper = (word: unknown) => (typeof word === 'string' ? word.toUpperCase() : null)
const textOrNull = (value: unknown) => (value === null || value === undefined ? null : String(value))

const chat = (its: Answer) => ({
  ...its,
  unread: String(its.unread),
  messagesUnread: its.unread,
  lastMessageTime: textOrNull(millis(its.lastMessageAt)),
  isMuted: bit(its.muted),
  muteEndTime: millis(its.muteEndsAt),
  isMarkedSpam: 'false',
  archived: String(its.archived),
  pinned: String(its.pinned),
  profileThumbnail: its.pictureUrl ?? null,
  ...(its.isGroup === undefined ? { isGroup: true } : {}),
})

const contact = (its: Answer) => ({
  ...its,
  short: its.shortName,
  notify: its.pushName,
  vname: its.verifiedName,
  imgUrl: its.pictureUrl ?? null,
})

const group = (its: Answer) => ({
  ...its,
  subject: its.name,
  creation: millis(its.createdAt),
  subjectTime: millis(its.nameChangedAt),
  subjectOwner: its.nameChangedBy,
  contactsCount: its.participantsCount,
})

const bareId = (id: unknown) => (typeof id === 'string' ? id.replace(/-group$/, '') : id)
const community = (its: Answer) => ({ ...its, id: bareId(its.id) })

const newsletter = (its: Answer) => ({
  ...its,
  creationTime: seconds(its.createdAt),
  state: upper(its.state),
  subscribersCount: textOrNull(its.subscribersCount),
  verification: its.verified ? 'VERIFIED' : 'UNVERIFIED',
  picture: its.pictureUrl,
  preview: its.previewUrl,
  viewMetadata: { mute: its.muted ? 'ON' : 'OFF', role: upper(its.role) },
})

const queued = (its: Answer) => ({
  ...its,
  _id: its.svcId,
  ZaapId: its.svcId,
  MessageId: its.messageId,
  Phone: its.phone,
  Message: its.preview,
  DelayMessage: its.delayMessage ?? -1,
  DelayTyping: its.delayTyping,
  Created: millis(its.queuedAt),
  IsTrial: false,
})

const DAYS: Readonly<Record<string, string>> = {
  sun: 'SUNDAY',
  mon: 'MONDAY',
  tue: 'TUESDAY',
  wed: 'WEDNESDAY',
  thu: 'THURSDAY',
  fri: 'FRIDAY',
  sat: 'SATURDAY',
}

const category = (its: Answer) => ({ ...its, displayName: its.name })

const profileOfBusiness = (its: Answer) => ({
  ...its,
  categories: list(its.categories).map(category),
  businessHours: its.hours && {
    timezone: part(its.hours).timezone,
    days: list(part(its.hours).days).map((day) => ({ ...day, dayOfWeek: DAYS[String(day.day)] })),
  },
})

const page = (name: string) => (its: Answer) => ({ ...its, [name]: its.data })
const collectionId = (its: Answer) => ({ ...its, success: true, collectionId: its.id })
const bare =
  (entry: (its: Answer) => unknown = (its) => its) =>
  (its: Answer) =>
    list(its.data).map(entry)

const callbacks = (webhooks: Answer) => ({
  connectedCallbackUrl: webhooks.instanceStatusUrl,
  disconnectedCallbackUrl: webhooks.instanceStatusUrl,
  deliveryCallbackUrl: webhooks.deliveryUrl,
  messageStatusCallbackUrl: webhooks.messageStatusUrl,
  presenceChatCallbackUrl: webhooks.chatPresenceUrl,
  receivedCallbackUrl: webhooks.receivedUrl,
  receiveCallbackSentByMe: webhooks.notifySentByMe,
})

const settings = ({ callRejectAuto, callRejectMessage, autoReadMessage }: Answer) => ({
  callRejectAuto,
  callRejectMessage,
  autoReadMessage,
})

const me = (its: Answer) => ({
  ...its,
  due: millis(its.dueAt),
  created: its.createdAt,
  paymentStatus: upper(its.subscriptionStatus),
  ...callbacks(part(its.webhooks)),
  ...settings(part(its.settings)),
})

/**
 * Answer with the status of an instance. Clients of Z-API compare `error` with these sentences, so the sentences must
 * not be changed.
 */
const status = (its: Answer) => ({
  ...its,
  error: its.connected ? 'You are already connected.' : 'You are not connected.',
  reason: its.error,
})

const forms: Readonly<Record<string, (its: Answer) => unknown>> = {
  'instance.me': me,
  'instance.status': status,
  // The n8n node of Z-API reads `qrCode`, although the documentation of Z-API has `value`.
  'instance.qrCode': (its) => ({ ...its, qrCode: its.value }),
  'instance.phoneCode': (its) => ({ ...its, code: its.value }),
  'instance.device': (its) => ({ ...its, originalDevice: its.platform }),
  'webhooks.update': (its) => ({ value: true, ...its }),
  'webhooks.updateType': (its) => ({ value: true, ...its }),
  'queue.list': bare(queued),
  'chats.list': bare(chat),
  'chats.get': chat,
  'contacts.list': bare(contact),
  'contacts.get': contact,
  'contacts.picture': (its) => ({ ...its, link: its.url }),
  'contacts.existsBatch': bare(),
  'contacts.block': (its) => ({ value: true, ...its }),
  'contacts.unblock': (its) => ({ value: true, ...its }),
  'contacts.add': (its) => ({ ...its, errors: list(its.results).filter(({ saved }) => !saved) }),
  'contacts.remove': (its) => ({ ...its, errors: list(its.results).filter(({ removed }) => !removed) }),
  'groups.list': bare(chat),
  'groups.metadata': group,
  'groups.lightMetadata': group,
  'groups.invitationMetadata': group,
  'groups.participantRequests': bare(),
  'communities.list': bare(community),
  'communities.create': community,
  'communities.metadata': community,
  'newsletters.list': bare(newsletter),
  'newsletters.metadata': newsletter,
  'newsletters.create': newsletter,
  'newsletters.search': (its) => ({ ...its, data: list(its.data).map(newsletter), cursor: its.nextCursor }),
  'business.profile': profileOfBusiness,
  'business.categories': bare(category),
  'business.products': page('products'),
  'business.collectionProducts': page('products'),
  'business.collections': page('collections'),
  'business.product': (its) => ({ ...its, product: its }),
  'business.createCollection': collectionId,
  'business.updateCollection': collectionId,
  'business.updateCatalogConfig': (its) => ({ value: true, ...its }),
  'labels.list': bare(),
  'labels.update': (its) => ({ value: true, ...its }),
  'labels.colors': (its) => Object.fromEntries(list(its.data).map(({ color, hex }) => [color, hex])),
}

/**
 * Adds `success` to an answer whose `value` is true, because clients read `value` on some routes and `success` on
 * others.
 */
const withSuccess = (its: Answer) => (its.value === true && its.success === undefined ? { ...its, success: true } : its)

/** Returns an answer in the form of this dialect. The answer of a send also has `zaapId`, which is our `svcId`. */
export function zapiAnswer({ id, kind }: { id: string; kind: string }, reply: unknown): unknown {
  const its = inCamelCase(reply) as Answer
  if (typeof its !== 'object' || its === null) return its
  if (kind === 'send') return { zaapId: its.svcId, ...its }
  const form = forms[id]
  const shaped = form === undefined ? its : form(its)
  return Array.isArray(shaped) ? shaped : withSuccess(shaped as Answer)
}

/**
 * Returns an error in the form of this dialect: `error` and `message` are texts, and `message` says which field is
 * wrong.
 */
export function zapiError({ error: { code, message, details } }: ErrorBody): object {
  const issues = (details.issues ?? []) as readonly { path: string; message: string }[]
  const said = issues.map(({ path, message }) => (path === '' ? `The body ${message}.` : `${path} ${message}.`))
  return { error: code, message: said.length > 0 ? said.join(' ') : message, details: inCamelCase(details) }
}

interface ErrorBody {
  error: { code: string; message: string; details: Readonly<Record<string, unknown>> }
}
