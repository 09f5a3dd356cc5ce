import { node, randomId, seconds } from '../wire/node.ts'
import { enqueue } from './delivery.ts'
import type { Companion, Network, Person } from './model.ts'
import { pnOf } from './people.ts'

const EVERYBODY = ['all', 'contacts', 'contact_blacklist', 'none']

export const PRIVACY_VALUES: Readonly<Record<string, readonly string[]>> = {
  readreceipts: ['all', 'none'],
  profile: EVERYBODY,
  status: EVERYBODY,
  online: ['all', 'match_last_seen'],
  last: EVERYBODY,
  groupadd: ['all', 'contacts', 'contact_blacklist'],
  calladd: ['all', 'known', 'contacts'],
  messages: ['all', 'contacts'],
}

export function privacyOf(person: Person): Record<string, string> {
  const defaults = Object.entries(PRIVACY_VALUES).map(([name, [first = '']]) => [name, first])
  return { ...Object.fromEntries(defaults), ...Object.fromEntries(person.privacy) }
}

/** Sets a privacy setting. The list of excluded people is deleted if the setting no longer excludes people. */
export function chooseSetting(person: Person, name: string, value: string) {
  person.privacy.set(name, value)
  if (value !== 'contact_blacklist') person.privacyLists.delete(name)
}

/** Notifies the other devices of the account which settings have changed, but not which people they exclude. */
export function announcePrivacy(network: Network, person: Person, names: readonly string[], by?: Companion) {
  const news = names.map((name) => node('category', { name, value: person.privacy.get(name) }))
  for (const other of person.companions.values()) {
    if (other === by) continue
    const attrs = { from: pnOf(person), type: 'account_sync', id: randomId(), t: seconds() }
    enqueue(network, other, node('notification', attrs, [node('privacy', {}, news)]))
  }
}
