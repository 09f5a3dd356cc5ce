/**
 * Holds the role of the account in each channel, for one session. The network refuses a query about a channel if it
 * does not state the right role.
 */
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { ViewRole } from '../wire/mex.ts'
import type { Newsletter } from '../wire/newsletters.ts'

const MAX_KNOWN = 1_000

export interface NewsletterRoles {
  learn(newsletter: Pick<Newsletter, 'id' | 'role'>): void
  forget(newsletter: string): void
  /**
   * Returns the roles to try, the most likely first. The network accepts the role of a subscriber even if the account
   * does not follow the channel.
   */
  toTry(newsletter: string): ViewRole[]
}

const ROLES: Readonly<Record<string, ViewRole>> = {
  owner: 'OWNER',
  admin: 'ADMIN',
  subscriber: 'SUBSCRIBER',
  guest: 'SUBSCRIBER',
}

export function createNewsletterRoles(): NewsletterRoles {
  const known = boundedCache<string, ViewRole>(MAX_KNOWN)
  return {
    learn({ id, role }) {
      const announced = role === null ? undefined : ROLES[role]
      if (announced) known.set(id, announced)
    },
    forget: (newsletter) => void known.delete(newsletter),
    toTry(newsletter) {
      const announced = known.get(newsletter)
      return [...new Set<ViewRole>([...(announced ? [announced] : []), 'SUBSCRIBER', 'GUEST'])]
    },
  }
}
