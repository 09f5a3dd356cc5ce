/** Builds queries about the profiles of businesses and parses the answers. Times are minutes from midnight. */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { contentText } from './content.ts'

const iq = (xmlns: string, type: 'get' | 'set', content: BinaryNode, smaxId?: string): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type, xmlns, ...(smaxId === undefined ? {} : { smax_id: smaxId }) },
  content: [content],
})

/** An empty text clears the field; the element then has no content. */
const textNode = (tag: string, text: string): BinaryNode => ({
  tag,
  attrs: {},
  ...(text === '' ? {} : { content: Buffer.from(text) }),
})

export const profileQuery = (jid: string): BinaryNode =>
  iq('w:biz', 'get', { tag: 'business_profile', attrs: { v: '244' }, content: [{ tag: 'profile', attrs: { jid } }] })

const MODES = ['specific_hours', 'open_24h', 'appointment_only'] as const
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

export interface OpeningHours {
  day: (typeof DAYS)[number]
  mode: (typeof MODES)[number]
  opensAt: number | null
  closesAt: number | null
}

export interface BusinessProfile {
  description: string | null
  address: string | null
  email: string | null
  websites: string[]
  categories: { id: string; name: string }[]
  hours: { timezone: string | null; days: OpeningHours[] } | null
  isCartEnabled: boolean | null
  hasCoverPhoto: boolean
}

/** Returns the profile of a business. Null if the answer has none, as for an account that is not a business. */
export function profileIn(answer: BinaryNode): BusinessProfile | null {
  const profile = getBinaryNodeChild(getBinaryNodeChild(answer, 'business_profile'), 'profile')
  if (!profile) return null
  const text = (tag: string) => contentText(getBinaryNodeChild(profile, tag)) || null
  const cart = contentText(getBinaryNodeChild(getBinaryNodeChild(profile, 'profile_options'), 'cart_enabled'))
  return {
    description: text('description'),
    address: text('address'),
    email: text('email'),
    websites: getBinaryNodeChildren(profile, 'website').flatMap((website) => contentText(website) || []),
    categories: categoriesUnder(profile),
    hours: hoursOf(getBinaryNodeChild(profile, 'business_hours')),
    isCartEnabled: cart ? cart === 'true' : null,
    hasCoverPhoto: getBinaryNodeChild(profile, 'cover_photo') !== undefined,
  }
}

function categoriesUnder(parent: BinaryNode | undefined): { id: string; name: string }[] {
  return getBinaryNodeChildren(getBinaryNodeChild(parent, 'categories'), 'category').flatMap((category) => {
    const { id } = category.attrs
    return id ? [{ id, name: contentText(category) ?? '' }] : []
  })
}

/** Reads the opening hours. Days and modes that are not known here are left out. */
function hoursOf(node: BinaryNode | undefined): BusinessProfile['hours'] {
  if (!node) return null
  const days = getBinaryNodeChildren(node, 'business_hours_config').flatMap(({ attrs }) => {
    const day = DAYS.find((known) => known === attrs.day_of_week)
    const mode = MODES.find((known) => known === attrs.mode)
    if (!day || !mode) return []
    const hasTimes = mode === 'specific_hours'
    return [
      { day, mode, opensAt: hasTimes ? minutes(attrs.open_time) : null, closesAt: hasTimes ? minutes(attrs.close_time) : null },
    ]
  })
  return { timezone: node.attrs.timezone || null, days }
}

function minutes(value: string | undefined): number | null {
  const number = Number(value)
  return value && Number.isSafeInteger(number) && number >= 0 ? number : null
}

export interface ProfileChanges {
  description?: string | undefined
  address?: string | undefined
  email?: string | undefined
  websites?: readonly string[] | undefined
  categories?: readonly string[] | undefined
  hours?: { timezone: string; days: readonly OpeningHours[] } | undefined
}

const changeQuery = (content: BinaryNode[]): BinaryNode =>
  iq('w:biz', 'set', { tag: 'business_profile', attrs: { v: '3', mutation_type: 'delta' }, content })

/**
 * Changes only these fields of a profile. A single empty `<website>` removes all websites. `hours` contains only the
 * days on which the business is open.
 */
export function profileChangeQuery({ websites, categories, hours, ...texts }: ProfileChanges): BinaryNode {
  const { description, address, email } = texts
  const content = Object.entries({ address, description, email }).flatMap(([tag, value]) =>
    value === undefined ? [] : [textNode(tag, value)],
  )
  if (websites) content.push(...(websites.length === 0 ? [''] : websites).map((website) => textNode('website', website)))
  if (categories)
    content.push({ tag: 'categories', attrs: {}, content: categories.map((id) => ({ tag: 'category', attrs: { id } })) })
  if (hours) content.push({ tag: 'business_hours', attrs: { timezone: hours.timezone }, content: hours.days.map(openingNode) })
  return changeQuery(content)
}

const openingNode = ({ day, mode, opensAt, closesAt }: OpeningHours): BinaryNode => ({
  tag: 'business_hours_config',
  attrs: {
    day_of_week: day,
    mode,
    ...(opensAt === null || closesAt === null ? {} : { open_time: String(opensAt), close_time: String(closesAt) }),
  },
})

export const categoriesQuery = (text: string): BinaryNode =>
  iq('fb:thrift_iq', 'get', {
    tag: 'request',
    attrs: { op: 'profile_typeahead', type: 'catkit', v: '1' },
    content: [textNode('query', text)],
  })

/** Returns the categories in an answer. The element `<not_a_biz/>` is not a category. */
export const categoriesIn = (answer: BinaryNode) => categoriesUnder(getBinaryNodeChild(answer, 'response'))

/** Switches the cart of a business on or off. The answer contains the same element with the current setting. */
export const cartQuery = (isEnabled: boolean): BinaryNode =>
  iq(
    'fb:thrift_iq',
    'set',
    { tag: 'commerce_settings', attrs: {}, content: [{ tag: 'cart', attrs: { enabled: String(isEnabled) } }] },
    '25',
  )

export function cartIn(answer: BinaryNode): boolean | null {
  const { enabled } = getBinaryNodeChild(getBinaryNodeChild(answer, 'commerce_settings'), 'cart')?.attrs ?? {}
  return enabled === undefined ? null : enabled === 'true'
}
