/**
 * Checks requests without the credentials of an instance or a workspace: passkey tickets, connect links, OAuth,
 * downloads and metrics.
 */
import type { ConnectLink } from '../domain/connect-link.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId } from '../domain/ids.ts'
import { isIn, isNear, LOOPBACK, literalAddress, parseRanges, type Ranges, subscriberOf } from '../egress/addresses.ts'
import { type AccessRequest, bearer, MAX_CREDENTIAL } from './access-request.ts'
import { TooMany } from './errors.ts'
import type { Guesses } from './guesses.ts'
import type { Buckets } from './rate-limit.ts'
import { isRelayed } from './source.ts'

export interface OpenChecksDeps {
  guesses: Guesses
  descriptions: Buckets
  tickets: Buckets
  apps: Buckets
  links: Buckets
  /** Limit of requests with a connect link that begin something on the network, such as a call to a phone. */
  linkStarts: Buckets
  trusted: Ranges
  /**
   * Compares in constant time. Undefined if no token is set; then only callers on this machine or in a private network
   * get the metrics.
   */
  isMetricsToken: ((value: string) => boolean) | undefined
}

export const TICKET_HEADER = 'X-Passkey-Ticket'
const NO_LINK = 'This link has expired or was revoked; ask for a new one.'
const NO_TICKET = 'This ticket was used or has expired; press the button on the pairing page again.'

export const NO_ROUTE = 'No such route exists.'

/**
 * Whether only this machine or its network can own the name in `Host`. Otherwise a web page could let its own host name
 * resolve to this service and read the answers (DNS rebinding).
 */
function isLocalHost(host: string | null): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(:\d*)?$/.exec(host ?? '')?.[1]
  if (name === undefined || name === '') return false
  const literal = literalAddress(name)
  return literal === undefined ? /^[a-z0-9_-]+$|\.localhost$/i.test(name) : isNear(literal)
}

export function createOpenChecks(deps: OpenChecksDeps) {
  const { descriptions, tickets, apps, links, linkStarts, trusted, isMetricsToken } = deps
  const guesses: Guesses = deps.guesses
  const loopback = parseRanges(LOOPBACK)

  function isLocal(
    { headers, source, peer }: Pick<AccessRequest, 'headers' | 'source' | 'peer'>,
    isNearEnough: (source: string) => boolean,
  ) {
    // A proxy that is not trusted relayed the request, so the caller may be anybody.
    const isAnybodys = isRelayed(headers) && !isIn(trusted, peer ?? '')
    return !isAnybodys && isNearEnough(source) && isLocalHost(headers.get('Host'))
  }

  return {
    ticket(
      find: (ticket: string) => InstanceId | undefined,
      { headers, source }: Pick<AccessRequest, 'headers' | 'source'>,
    ): { instance: InstanceId; ticket: string } {
      const ticket = headers.get(TICKET_HEADER)
      const instance = ticket === null || ticket.length > MAX_CREDENTIAL ? undefined : find(ticket)
      if (ticket === null || instance === undefined) guesses.refuse('unauthorized', source, NO_TICKET)
      const { allowed, retryAfter } = tickets.take(instance)
      if (!allowed) throw new TooMany(retryAfter, 'instance')
      return { instance, ticket }
    },

    /**
     * The secret of the link replaces the credentials of its instance. `start` names an operation with a limit of its
     * own.
     */
    connectLink(
      find: (secret: string) => ConnectLink | undefined,
      secret: string,
      { source, start }: Pick<AccessRequest, 'source'> & { start?: string | undefined },
    ): ConnectLink {
      const link = secret.length > MAX_CREDENTIAL ? undefined : find(secret)
      if (link === undefined) guesses.refuse('unauthorized', source, NO_LINK)
      const { allowed, retryAfter } = links.take(link.id)
      if (!allowed) throw new TooMany(retryAfter, 'link')
      const begun = start === undefined ? undefined : linkStarts.take(`${link.id} ${start}`)
      if (begun?.allowed === false) throw new TooMany(begun.retryAfter, 'link')
      return link
    },

    staleTicket: ({ source }: Pick<AccessRequest, 'source'>): never => guesses.refuse('unauthorized', source, NO_TICKET),

    /** Whether the caller is a program on this machine that connected directly. */
    isOnThisMachine: (incoming: Pick<AccessRequest, 'headers' | 'source' | 'peer'>): boolean =>
      isLocal(incoming, (source) => isIn(loopback, source)),

    oauth({ source }: Pick<AccessRequest, 'source'>, kind: string): void {
      const { allowed, retryAfter } = apps.take(`${kind} ${subscriberOf(source)}`)
      if (!allowed) throw new TooMany(retryAfter, 'address')
    },

    /** Limits downloads that are large, the same for everybody and rarely needed. */
    described({ source }: Pick<AccessRequest, 'source'>, what = ''): void {
      const { allowed, retryAfter } = descriptions.take(what + subscriberOf(source))
      if (!allowed) throw new TooMany(retryAfter, 'address')
    },

    /**
     * Without a configured token, only callers on this machine or in a private network are admitted; others get
     * `not_found`.
     */
    metrics({ headers, source, peer }: AccessRequest): void {
      if (isMetricsToken) {
        const value = bearer(headers)
        // A request without a token does not count as a guess.
        const isRight = value !== undefined && guesses.guessed('metrics', source, () => isMetricsToken(value) || undefined)
        if (!isRight) guesses.refuse('unauthorized', source)
        return
      }
      if (!isLocal({ headers, source, peer }, isNear)) throw new Failure('not_found', { message: NO_ROUTE })
    },
  }
}
