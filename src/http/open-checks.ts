/**
 * Checks requests without the credentials of an instance or a workspace: passkey tickets, connect links, OAuth,
 * downloads and metrics.
 */
import type { ConnectLink } from '../domain/connect-link.ts'
import type { InstanceId } from '../domain/ids.ts'
import { isIn, LOOPBACK, parseRanges, subscriberOf } from '../egress/addresses.ts'
import { type AccessRequest, MAX_CREDENTIAL } from './access-request.ts'
import { TooMany } from './errors.ts'
import type { Guesses } from './guesses.ts'
import { createMetricsCheck, isLocal, type MetricsCheckDeps } from './metrics-check.ts'
import type { Buckets } from './rate-limit.ts'

export interface OpenChecksDeps extends MetricsCheckDeps {
  descriptions: Buckets
  tickets: Buckets
  apps: Buckets
  links: Buckets
  /** Limit of requests for a pairing code and of restarts with a connect link. */
  linkStarts: Buckets
}

export const TICKET_HEADER = 'X-Passkey-Ticket'
const NO_LINK = 'This link has expired or was revoked; ask for a new one.'
const NO_TICKET = 'This ticket was used or has expired; press the button on the pairing page again.'

export function createOpenChecks(deps: OpenChecksDeps) {
  const { descriptions, tickets, apps, links, linkStarts, trusted, isMetricsToken } = deps
  const guesses: Guesses = deps.guesses
  const loopback = parseRanges(LOOPBACK)

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
     * Checks the secret of a connect link, which replaces the credentials of its instance. `start` is the id of an
     * operation that has a separate limit.
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

    /** True if the caller is a program on this machine that connected directly. */
    isOnThisMachine: (incoming: Pick<AccessRequest, 'headers' | 'source' | 'peer'>): boolean =>
      isLocal(incoming, trusted, (source) => isIn(loopback, source)),

    oauth({ source }: Pick<AccessRequest, 'source'>, kind: string): void {
      const { allowed, retryAfter } = apps.take(`${kind} ${subscriberOf(source)}`)
      if (!allowed) throw new TooMany(retryAfter, 'address')
    },

    /** Limits downloads that are large and rarely needed. Their content is the same for everybody. */
    described({ source }: Pick<AccessRequest, 'source'>, what = ''): void {
      const { allowed, retryAfter } = descriptions.take(what + subscriberOf(source))
      if (!allowed) throw new TooMany(retryAfter, 'address')
    },

    metrics: createMetricsCheck({ guesses, trusted, isMetricsToken }),
  }
}
