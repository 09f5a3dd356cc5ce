/**
 * Registers somebody as invited to run a channel. The library knows neither the mutation nor its number, which changes with the builds of
 * the web client: it is configured (`SVC_NEWSLETTER_INVITE_QUERY_ID`).
 */
import { getBinaryNodeChild, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { Failure, type FailureCode } from '../../../../src/domain/failures.ts'
import { boundedQuery, withDeadline } from '../../baileys/query.ts'
import { networkCode, sendFailure } from '../../connection/failures.ts'
import type { SendContext } from '../contract.ts'

const QUERY_DEADLINE = 20 * SECOND
const MUTATION = 'xwa2_newsletter_admin_invite_create'

export interface AdminInvite {
  newsletterName: string
  /** What the network says of the channel. */
  description: unknown
  /** Epoch seconds. */
  expiration: number
}

/** What a refusal with these codes means; anything else is `action_failed`, an unknown query id above all. */
const REFUSALS: Readonly<Record<number, FailureCode>> = {
  401: 'not_allowed',
  403: 'not_allowed',
  405: 'not_allowed',
  404: 'newsletter_not_found',
}

const refused = (code: number | null, cause?: unknown) =>
  new Failure((code === null ? undefined : REFUSALS[code]) ?? 'action_failed', { cause })

/** Throws before anything is sent: an invitation that is not registered cannot be accepted. */
export async function registerAdminInvite(
  { session: { sock }, newsletterInviteQueryId }: SendContext,
  newsletter: string,
  invitee: string,
): Promise<AdminInvite> {
  if (newsletterInviteQueryId === null)
    throw new Failure('action_failed', { message: 'The query id for channel invitations is not configured.' })
  const metadata = await withDeadline(QUERY_DEADLINE, () => sock.newsletterMetadata('jid', newsletter)).catch((error) => {
    const failure = sendFailure(error, 'newsletter_not_found')
    throw failure.code === 'instance_not_connected' || failure.code === 'send_timeout'
      ? failure
      : refused(networkCode(error), error)
  })
  if (metadata === null) throw new Failure('newsletter_not_found')
  const variables = { newsletter_id: newsletter, user_id: invitee }
  const query = {
    tag: 'query',
    attrs: { query_id: newsletterInviteQueryId },
    content: Buffer.from(JSON.stringify({ variables })),
  }
  const answer = await boundedQuery(
    sock,
    { tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:mex' }, content: [query] },
    QUERY_DEADLINE,
  ).catch((error) => {
    throw sendFailure(error, 'newsletter_not_found')
  })
  return {
    newsletterName: nameOf(metadata),
    description: metadata,
    expiration: expirationOf(getBinaryNodeChild(answer, 'result')?.content),
  }
}

/** The library's type says text; the network says `{ text }`. */
function nameOf(metadata: { name?: unknown; thread_metadata?: { name?: unknown } }): string {
  const inner = metadata.thread_metadata?.name
  const name = metadata.name ?? (typeof inner === 'object' && inner !== null && 'text' in inner ? inner.text : inner)
  return typeof name === 'string' ? name : ''
}

interface MutationAnswer {
  data?: Record<string, { invite_expiration_time?: string | number } | null>
  errors?: { extensions?: { error_code?: number } }[]
}

function expirationOf(content: unknown): number {
  let answer: MutationAnswer
  try {
    answer = JSON.parse(Buffer.from(content as Uint8Array).toString()) as MutationAnswer
  } catch (cause) {
    throw new Failure('action_failed', { cause })
  }
  const [error] = answer.errors ?? []
  if (error) throw refused(error.extensions?.error_code ?? null, error)
  const time = Number(answer.data?.[MUTATION]?.invite_expiration_time)
  if (!Number.isFinite(time) || time <= 0) throw new Failure('action_failed', { cause: answer })
  return time
}
