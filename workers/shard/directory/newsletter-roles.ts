/**
 * Holds the role of the account in each channel, as the network last sent it. A query about a channel must state the right role, or the network
 * refuses it. The roles are valid for one session.
 */
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { ViewRole } from '../wire/mex.ts'
import type { Newsletter } from '../wire/newsletters.ts'

const MAX_KNOWN = 1_000

export interface NewsletterRoles {
  /** Learns the role from the metadata of a channel. Metadata without a role changes nothing. */
  learn(newsletter: Pick<Newsletter, 'id' | 'role'>): void
  /** Forgets the role, which an operation may have changed. */
  forget(newsletter: string): void
  /**
   * Returns the roles with which a query can be tried, the most likely first. The network answers queries with the role of a subscriber even if the
   * account does not follow the channel; in all captured answers it refused the role of a guest.
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
