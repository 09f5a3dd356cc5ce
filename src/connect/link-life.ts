import { DAY } from '../domain/clock.ts'
import { type ConnectLink, type ConnectLinks, MAX_LINKS } from '../domain/connect-link.ts'
import { Failure } from '../domain/failures.ts'
import type { StoredLink } from './records.ts'

const KEPT = 7 * DAY

export function statusAt(now: number, { pairedAt, expiresAt }: ConnectLink): ReturnType<ConnectLinks['statusOf']> {
  if (pairedAt !== null) return 'paired'
  return expiresAt > now ? 'open' : 'expired'
}

const endOf = ({ pairedAt, expiresAt }: StoredLink) => Math.min(pairedAt ?? expiresAt, expiresAt)

export const isOldAt = (now: number, link: StoredLink) => endOf(link) + KEPT <= now

/**
 * Returns the links to remove when a link is created: those that ended long ago. If the instance then still has the
 * maximum number of links, also the link that ended first. Throws `not_allowed` if all of them are open.
 */
export function replacedAt(now: number, own: readonly StoredLink[]): StoredLink[] {
  const old = own.filter((link) => isOldAt(now, link))
  if (own.length - old.length < MAX_LINKS) return old
  const [ended] = own
    .filter((link) => statusAt(now, link) !== 'open' && !old.includes(link))
    .sort((one, other) => endOf(one) - endOf(other))
  if (ended === undefined)
    throw new Failure('not_allowed', { message: `The instance has ${MAX_LINKS} open connect links; revoke one first.` })
  return [...old, ended]
}
