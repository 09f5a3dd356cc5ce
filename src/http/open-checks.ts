/**
 * Checks requests without the credentials of an instance or a workspace: passkey tickets, connect links, apps that ask for authorization, downloads
 * and metrics.
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
  /** Limit of public requests (the description, pages), per address. */
  descriptions: Buckets
  /** Limit of requests with a passkey ticket, per instance. */
  tickets: Buckets
  /** Limit of requests to `/oauth`, per kind of request and address. */
  apps: Buckets
  /** Limit of requests with a connect link, per link. */
  links: Buckets
  /** Limit of requests with a connect link that begin something on the network, per link and operation. */
  linkStarts: Buckets
  /** Proxies whose `X-Forwarded-For` is trusted. */
  trusted: Ranges
  /**
   * Compares the token of `/metrics` in constant time. Undefined if no token is set; then only callers on this machine or in a private network get
   * the metrics.
   */
  isMetricsToken: ((value: string) => boolean) | undefined
}

/** Request header that carries a passkey ticket. */
export const TICKET_HEADER = 'X-Passkey-Ticket'
const NO_LINK = 'This link has expired or was revoked; ask for a new one.'
const NO_TICKET = 'This ticket was used or has expired; press the button on the pairing page again.'

export const NO_ROUTE = 'No such route exists.'

/**
 * Whether `Host` names this machine or a machine of its own network: a loopback or private address, `localhost`, or a name without a dot, which
 * nobody outside of the network can own. Without this check, a web page in a browser of the same network could let its own host name resolve to the
 * address of this service, and read the answers (DNS rebinding).
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
    // A proxy that is not trusted relayed the request. The proxy is on this machine or in a private network, but its caller is unknown and may be
    // anybody.
    const isAnybodys = isRelayed(headers) && !isIn(trusted, peer ?? '')
    return !isAnybodys && isNearEnough(source) && isLocalHost(headers.get('Host'))
  }

  return {
    /** Accepts a passkey ticket instead of the credentials of its instance. */
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
     * Accepts the secret of a connect link instead of the credentials of its instance. `start` is the name of an operation that begins something on
     * the network; such an operation has a limit of its own.
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

    /** Refuses a ticket that is no longer valid. */
    staleTicket: ({ source }: Pick<AccessRequest, 'source'>): never => guesses.refuse('unauthorized', source, NO_TICKET),

    /** Whether the caller is a program on this machine that connected directly and used a host name that only this machine has. */
    isOnThisMachine: (incoming: Pick<AccessRequest, 'headers' | 'source' | 'peer'>): boolean =>
      isLocal(incoming, (source) => isIn(loopback, source)),

    /** Limits requests to `/oauth` by address. Each `kind` of request has its own limit. */
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
     * Admits a request for the metrics. If no token is configured, only callers on this machine or in a private network are admitted; others get
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
