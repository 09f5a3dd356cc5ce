import { type BinaryNode, child, childBytes, children, node, textOf } from '../../wire/node.ts'
import type { BusinessProfile } from '../business-profile.ts'
import type { Person } from '../model.ts'
import { findPerson } from '../people.ts'
import type { Answer, Query } from './query.ts'
import { QueryError } from './query.ts'

/** Categories that a business can choose: a few of the real ones. */
const CATEGORIES = [
  { id: '629412378414563', name: 'Other businesses' },
  { id: '1223524174334504', name: 'Shopping and retail' },
  { id: '2250', name: 'Education' },
  { id: '2253', name: 'Medical and health' },
  { id: '273819889375819', name: 'Restaurant' },
]

const childText = (item: BinaryNode, tag: string) => childBytes(item, tag)?.toString('utf8')

function profileNode(person: Person): BinaryNode {
  const { profile } = person
  const { hours } = profile
  const listed = profile.categories.map(({ id, name }) => node('category', { id }, name))
  const open = hours?.days.map((day) => node('business_hours_config', day)) ?? []
  const text = (tag: string, value: string) => (value === '' ? [] : [node(tag, {}, value)])
  return node('profile', {}, [
    ...text('description', profile.description),
    ...text('address', profile.address),
    ...text('email', profile.email),
    ...profile.websites.map((website) => node('website', {}, website)),
    node('categories', {}, listed),
    ...(hours ? [node('business_hours', { timezone: hours.timezone }, open)] : []),
    node('profile_options', {}, [
      node('commerce_experience', {}, 'catalog'),
      node('cart_enabled', {}, String(profile.cartEnabled)),
    ]),
    ...(profile.hasCoverPhoto ? [node('cover_photo', { id: '1' })] : []),
  ])
}

function getProfile({ network, subject }: Query): BinaryNode[] {
  const profiles = children(subject, 'profile').flatMap(({ attrs }) => {
    const person = findPerson(network, attrs.jid ?? '')
    return person?.business ? [{ ...profileNode(person), attrs: { jid: attrs.jid ?? '' } }] : []
  })
  return [node('business_profile', {}, profiles)]
}

export function ownBusiness({ companion }: Query): BusinessProfile {
  if (!companion.person.business) throw new QueryError(403, 'forbidden')
  return companion.person.profile
}

const HOURS_MODES = new Set(['specific_hours', 'open_24h', 'appointment_only'])

function setProfile(query: Query): undefined {
  const profile = ownBusiness(query)
  const { subject } = query
  const hours = child(subject, 'business_hours')
  const modes = children(hours, 'business_hours_config').map(({ attrs }) => attrs.mode ?? '')
  if (!modes.every((mode) => HOURS_MODES.has(mode))) throw new QueryError(406, 'not-acceptable')
  for (const name of ['address', 'description', 'email'] as const)
    profile[name] = childText(subject, name) ?? (child(subject, name) ? '' : profile[name])
  const websites = children(subject, 'website')
  if (websites.length > 0) profile.websites = websites.map((item) => textOf(item) ?? '').filter((text) => text !== '')
  const chosen = child(subject, 'categories')
  if (chosen) {
    const ids = children(chosen, 'category').map((item) => item.attrs.id)
    profile.categories = CATEGORIES.filter(({ id }) => ids.includes(id))
  }
  if (hours) {
    const days = children(hours, 'business_hours_config').map(({ attrs }) => attrs)
    profile.hours = { timezone: hours.attrs.timezone ?? 'UTC', days }
  }
  query.network.changed()
  return undefined
}

function findCategories(query: Query): BinaryNode[] {
  ownBusiness(query)
  const { subject } = query
  const text = (childText(subject, 'query') ?? '').toLowerCase()
  const found = CATEGORIES.filter(({ name }) => name.toLowerCase().includes(text))
  const listed = found.map(({ id, name }) => node('category', { id }, name))
  // Like the real list, the answer also offers the choice "not a business".
  return [node('response', {}, [node('categories', {}, listed), node('not_a_biz', { id: '0' }, 'Not a business')])]
}

export const BUSINESS_QUERIES: Record<string, Answer> = {
  'w:biz get business_profile': getProfile,
  'w:biz set business_profile': setProfile,
  'fb:thrift_iq get request': findCategories,
  'fb:thrift_iq set commerce_settings': (query) => {
    ownBusiness(query).cartEnabled = child(query.subject, 'cart')?.attrs.enabled === 'true'
    query.network.changed()
    return [node('commerce_settings', {}, [node('cart', { enabled: ownBusiness(query).cartEnabled })])]
  },
}
