/**
 * Requests of the dialect `zapi` that differ from ours in more than spelling, by operation, and routes that exist only
 * in this dialect.
 */
import type { z } from 'zod'
import type { Alias } from '../aliases.ts'
import type { RawFields } from '../input.ts'
import { carouselWithIdsPerCard } from '../send/interactive.ts'

export interface Reshape {
  rename?: Readonly<Record<string, string>>
  /** Names an object in the request whose listed fields are top-level fields in our requests. */
  lift?: { from: string; fields: readonly string[] }
  values?: Readonly<Record<string, (value: unknown) => unknown>>
  /** Schema that replaces the schema of the operation, if other rules apply to the combination of fields. */
  input?: z.ZodType
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

const each = (change: (entry: unknown) => unknown) => (value: unknown) => (Array.isArray(value) ? value.map(change) : value)

const nameOf = (entry: unknown) => (isObject(entry) && 'name' in entry ? entry.name : entry)

const day = (word: unknown) => (typeof word === 'string' ? word.slice(0, 3).toLowerCase() : word)
const renamedDay = (entry: unknown): unknown => {
  if (!isObject(entry)) return entry
  const { dayOfWeek, ...rest } = entry
  return dayOfWeek === undefined ? entry : { day: day(dayOfWeek), ...rest }
}

const OFFSET = /^(?:UTC|GMT)(?:([+-])(\d{1,2})(?::(\d{2}))?)?$/
const HAS_OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i
const TIMES = ['dateTime', 'date_time', 'endDateTime', 'end_date_time']

/**
 * Moves the offset of an event into its times. In this dialect, the offset may be in the field `timeZone` (`UTC-3`).
 */
const withOffset = (value: unknown): unknown => {
  if (!isObject(value)) return value
  const { timeZone, ...event } = value
  const zone = typeof timeZone === 'string' && OFFSET.exec(timeZone)
  const isLocal = (name: string, time: unknown): time is string =>
    TIMES.includes(name) && typeof time === 'string' && !HAS_OFFSET.test(time)
  if (!zone || !Object.entries(event).some(([name, time]) => isLocal(name, time))) return value
  const [, sign = '+', hours = '0', minutes = '00'] = zone
  const offset = `${sign}${hours.padStart(2, '0')}:${minutes}`
  return Object.fromEntries(Object.entries(event).map(([name, time]) => [name, isLocal(name, time) ? time + offset : time]))
}

/** Renames the type of random Pix keys, which has a different name in this dialect. */
const keyType = (value: unknown): unknown => {
  if (!isObject(value) || !isObject(value.pix)) return value
  const { pix } = value
  const type = pix.keyType ?? pix.key_type
  return typeof type === 'string' && /^random_?key$/i.test(type) ? { ...value, pix: { ...pix, keyType: 'evp' } } : value
}

export const reshapes: Readonly<Record<string, Reshape>> = {
  'send.sendPoll': { rename: { message: 'question', poll: 'options' }, values: { options: each(nameOf) } },
  'send.sendPollVote': { rename: { pollVote: 'options' }, values: { options: each(nameOf) } },
  'send.sendNewsletterAdminInvite': { lift: { from: 'adminInviteMessage', fields: ['newsletter_id', 'caption'] } },
  'send.sendCarousel': { input: carouselWithIdsPerCard },
  // Several clients write `name`, although the documentation of Z-API has `title`, as this API does.
  'send.sendLocation': { rename: { name: 'title' } },
  'send.sendLink': { rename: { url: 'link_url', description: 'link_description', linkTitle: 'title', linkImage: 'image' } },
  'send.deleteMessage': { rename: { fromMe: 'owner' } },
  'send.sendEvent': { values: { event: withOffset } },
  'send.sendEditEvent': { values: { event: withOffset } },
  'send.sendOrder': { values: { paymentSettings: keyType } },
  'business.updateHours': { values: { days: each(renamedDay) } },
  'business.createProduct': { rename: { integrationId: 'retailer_id' } },
  'business.updateProduct': { rename: { integrationId: 'retailer_id' } },
}

/** Copies `mode` into each entry of the opening hours: in the dialect, one `mode` applies to the whole week. */
export function withModeOfEachDay(fields: RawFields): RawFields {
  const { mode, ...rest } = fields
  if (mode === undefined || !Array.isArray(rest.days)) return fields
  return { ...rest, days: rest.days.map((entry) => (isObject(entry) && entry.mode === undefined ? { ...entry, mode } : entry)) }
}

/** Routes that exist only in this dialect. Some of these routes change something by GET, as in the API of Z-API. */
export const zapiRoutes: readonly Alias[] = [
  { route: 'GET /qr-code/image', operation: 'instance.qrCode' },
  { route: 'GET /restart', operation: 'instance.restart' },
  { route: 'GET /restore-session', operation: 'instance.restart' },
  { route: 'GET /disconnect', operation: 'instance.disconnect' },
  { route: 'GET /accept-invite-group', operation: 'groups.acceptInvitation' },
  { route: 'POST /group-invitation-link/{group_id}', operation: 'groups.invitationLink' },
  { route: 'DELETE /product/{product_id}', operation: 'business.deleteProduct' },
  // The documentation of Z-API has these fields in the body on one page, and in the query in an example.
  { route: 'DELETE /messages', operation: 'send.deleteMessage', body: true, query: true },
  { route: 'GET /chat/{phone}', operation: 'chats.get' },
  { route: 'GET /contacts/{phone}/metadata', operation: 'contacts.get' },
  { route: 'GET /contacts/{phone}/profile-picture', operation: 'contacts.picture' },
  { route: 'GET /disallowed-contacts', operation: 'privacy.disallowedContacts' },
  { route: 'PUT /update-webhook-receive', operation: 'webhooks.updateType', fixed: { type: 'received' } },
  { route: 'PUT /update-webhook-status', operation: 'webhooks.updateType', fixed: { type: 'message_status' } },
]
