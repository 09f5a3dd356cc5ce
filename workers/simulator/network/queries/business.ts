import { children, node } from '../../wire/node.ts'
import { findPerson } from '../people.ts'
import type { Answer } from './query.ts'

export const BUSINESS_QUERIES: Record<string, Answer> = {
  'w:biz get business_profile': ({ network, subject }) => {
    const profiles = children(subject, 'profile').flatMap(({ attrs }) => {
      const person = findPerson(network, attrs.jid ?? '')
      if (!person?.business) return []
      const content = [node('description', {}, person.about ?? ''), node('address', {}, ''), node('email', {}, '')]
      return [node('profile', { jid: attrs.jid }, content)]
    })
    return [node('business_profile', {}, profiles)]
  },
}
