import type { Newsletter } from '../newsletter-model.ts'
import { findPerson, lidJidOf } from '../people.ts'
import { type Document, MexError, type MexRequest } from './document.ts'
import { administered, find } from './newsletter-access.ts'
import { stateOf } from './newsletter-shown.ts'

const CAPABILITIES = ['INSIGHTS', 'ADMIN_NOTIFICATIONS', 'PHOTO_POLLS', 'QUESTIONS', 'QUIZ', 'THREAD_MENU']

const capabilities = (request: MexRequest) => ({ capabilities: CAPABILITIES, id: administered(request).id })

const about = (request: MexRequest, id: unknown): MexRequest => ({ ...request, variables: { newsletter_id: id } })

interface Metric {
  id?: unknown
  type?: unknown
}

/** Answers a query for metrics. This network records no metrics, so each metric has no values. */
function insights(request: MexRequest) {
  const { newsletter_id: id, metrics } = (request.variables.input ?? {}) as { newsletter_id?: unknown; metrics?: unknown }
  const isKnown = ({ id: number, type }: Metric) => typeof number === 'number' && (type === 'FOLLOWS' || type === 'UNFOLLOWS')
  if (!Array.isArray(metrics) || !metrics.every(isKnown)) throw new MexError(400, 'Bad Request')
  const newsletter = administered(about(request, id))
  return {
    last_update_time: String(newsletter.createdAt),
    metrics_status: 'AVAILABLE',
    newsletter_id: newsletter.id,
    result: metrics.map((metric: Metric) => ({ id: String(metric.id), values: [] })),
    state: stateOf(newsletter),
  }
}

function enforcements(request: MexRequest) {
  administered(request)
  return { geosuspensions: [], profile_picture_deletions: [], suspensions: [], violating_messages: [] }
}

function postOf(newsletter: Newsletter, serverId: unknown) {
  return newsletter.posts.find((post) => String(post.serverId) === String(serverId))
}

/** Answers who has voted in a poll. The votes of readers are not stored, so there are none. */
function voters(request: MexRequest) {
  const { newsletter_id: id, limit } = (request.variables.input ?? {}) as { newsletter_id?: unknown; limit?: unknown }
  if (typeof limit !== 'number' || limit < 1) throw new MexError(400, 'Bad Request')
  administered(about(request, id))
  return { votes: [] }
}

/** Returns the people who reacted to a post, by the code of the reaction. */
function reactionSenders(request: MexRequest) {
  const { id, server_id: serverId } = (request.variables.input ?? {}) as { id?: unknown; server_id?: unknown }
  const newsletter = find(about(request, id))
  const byCode = new Map<string, string[]>()
  for (const [reader, code] of Object.entries(postOf(newsletter, serverId)?.reactions ?? {})) {
    const person = findPerson(request.network, `${reader}@s.whatsapp.net`)
    if (person) byCode.set(code, [...(byCode.get(code) ?? []), lidJidOf(person)])
  }
  const reactions = [...byCode].map(([code, readers]) => ({
    reaction_code: code,
    sender_list: { edges: readers.map((reader) => ({ node: { id: reader, profile_pic_direct_path: null } })) },
  }))
  return { reactions }
}

function logExposures({ variables }: MexRequest) {
  const { exposures } = (variables.input ?? {}) as { exposures?: unknown }
  const isOne = (one: unknown) => typeof one === 'object' && one !== null && 'newsletter_id' in one && 'capability' in one
  if (!Array.isArray(exposures) || !exposures.every(isOne)) throw new MexError(400, 'Bad Request')
  return { __typename: 'XWA2NewsletterLogExposuresResponse' }
}

function previewable({ variables }: MexRequest) {
  const { url_domains: domains } = variables
  if (!Array.isArray(domains)) throw new MexError(400, 'Bad Request')
  return { url_previews: domains.map((domain) => ({ is_previewable: true, url_domain: String(domain) })) }
}

export const REPORT_DOCUMENTS: Document[] = [
  {
    name: 'FetchNewsletterAdminCapabilities',
    ids: ['9801384413216421'],
    path: 'xwa2_newsletter_admin',
    answer: capabilities,
  },
  { name: 'FetchNewsletterInsights', ids: ['9853618868050977'], path: 'xwa2_newsletter_admin_insights', answer: insights },
  { name: 'FetchNewsletterEnforcements', ids: ['27835373536068060'], path: 'xwa2_channel_enforcements', answer: enforcements },
  {
    name: 'FetchNewsletterReports',
    ids: ['35936238352686172'],
    path: 'xwa2_channels_reports',
    answer: () => ({ channels_reports: [] }),
  },
  { name: 'FetchNewsletterPollVoters', ids: ['9407762219322536'], path: 'voter_list', answer: voters },
  {
    name: 'FetchNewsletterMessageReactionSenderList',
    ids: ['29575462448733991'],
    path: 'xwa2_newsletters_reaction_sender_list',
    answer: reactionSenders,
  },
  { name: 'LogNewsletterExposures', ids: ['25260800823586918'], path: 'xwa2_newsletter_log_exposures', answer: logExposures },
  {
    name: 'FetchNewsletterIsDomainPreviewable',
    ids: ['9849510985088294'],
    path: 'xwa2_newsletter_message_integrity',
    answer: previewable,
  },
]
