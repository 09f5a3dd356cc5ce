import type { ReplyOfEndpoint } from '../../../../src/features/endpoint.ts'
import { cut, cutOrNull, secondsToIso } from '../../wire/bounds.ts'
import { type Newsletter, pictureUrl } from '../../wire/newsletters.ts'

export type NewsletterObject = ReplyOfEndpoint<typeof import('../../../../src/features/newsletters/newsletters.ts').metadata>

const MAX_NAME = 100
const MAX_DESCRIPTION = 2_048
const MAX_LINK = 2_048

const STATES = ['active', 'suspended', 'geosuspended', 'deleted', 'non_existing'] as const
const REACTION_CODES = ['all', 'basic', 'none', 'blocklist'] as const
const ROLES = ['owner', 'admin', 'subscriber', 'guest'] as const

const oneOf = <const T extends string>(values: readonly T[], value: string | null): T | null =>
  values.find((each) => each === value) ?? null

export const newsletterObject = (newsletter: Newsletter, host: string): NewsletterObject => ({
  id: newsletter.id,
  name: cut(newsletter.name, MAX_NAME),
  description: cutOrNull(newsletter.description, MAX_DESCRIPTION),
  created_at: newsletter.createdAt === null ? null : secondsToIso(newsletter.createdAt),
  // Search results from the channel directory have no state.
  state: oneOf(STATES, newsletter.state) ?? 'active',
  subscribers_count: newsletter.subscribers,
  verified: newsletter.isVerified,
  invite_link: newsletter.invite === null ? null : cut(`https://whatsapp.com/channel/${newsletter.invite}`, MAX_LINK),
  handle: cutOrNull(newsletter.handle, MAX_NAME),
  picture_url: cutOrNull(pictureUrl(newsletter.picture, host), MAX_LINK),
  preview_url: cutOrNull(pictureUrl(newsletter.preview, host), MAX_LINK),
  reaction_codes: oneOf(REACTION_CODES, newsletter.reactionCodes),
  role: oneOf(ROLES, newsletter.role),
  muted: newsletter.isMuted,
})
