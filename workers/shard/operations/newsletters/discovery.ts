import { Failure } from '../../../../src/domain/failures.ts'
import { pageOf } from '../../../../src/domain/page.ts'
import { networkCodeOf } from '../../connection/failures.ts'
import { objects } from '../../wire/json.ts'
import { newsletterLookUp } from '../../wire/mex.ts'
import { directoryPage, newsletterIn } from '../../wire/newsletters.ts'
import type { ActionContext, Handlers } from '../types.ts'
import { newsletterObject } from './newsletter-object.ts'

const RANK: Readonly<Record<string, number>> = { owner: 0, admin: 1, subscriber: 2 }
const rankOf = (role: string | null) => RANK[role ?? ''] ?? 3

/** Codes for a link that leads to no channel, or to a channel that the network does not show. */
const NO_NEWSLETTER = new Set([400, 401, 403, 404, 405, 410, 423, 451])

const NO_STATUS = { fetch_status_metadata: false }

const MAX_CURSOR = 4_096

export const newsletterDiscovery: Handlers<typeof import('../../../../src/features/newsletters/discovery.ts')> = {
  async 'newsletters.invitationMetadata'({ ask, session, pictureHost }, { url: code }) {
    const newsletter = newsletterIn(await invitedTo(ask, code))
    if (newsletter === null) throw new Failure('invite_link_invalid')
    session.newsletterRoles.learn(newsletter)
    const shown = newsletterObject(newsletter, pictureHost)
    return shown.role === 'guest' ? { ...shown, role: null, muted: null } : shown
  },

  async 'newsletters.list'({ ask, session, pictureHost }, query) {
    const answer = await ask.mex('FetchAllNewslettersMetadata', { ...NO_STATUS, fetch_wamo_sub: false })
    const all = objects(answer)
      .flatMap((each) => newsletterIn(each) ?? [])
      .sort((one, other) => rankOf(one.role) - rankOf(other.role))
    for (const newsletter of all) session.newsletterRoles.learn(newsletter)
    return pageOf(all, query, (newsletter) => newsletterObject(newsletter, pictureHost))
  },

  // The network refuses a text search that contains a `view` or countries. It refuses a `view` without
  // `fetch_status_metadata`.
  async 'newsletters.search'({ ask, pictureHost }, { search_text, view, country_codes, limit, cursor }) {
    const page = { limit, start_cursor: cursor ?? null }
    const answer = await (search_text === undefined
      ? ask.mex('FetchNewsletterDirectoryList', {
          ...NO_STATUS,
          input: { view: view.toUpperCase(), filters: { country_codes, categories: [] }, ...page },
        })
      : ask.mex('FetchNewsletterDirectorySearchResults', { ...NO_STATUS, input: { search_text, categories: [], ...page } }))
    const { newsletters, next } = directoryPage(answer)
    const data = newsletters.map((newsletter) => newsletterObject(newsletter, pictureHost))
    return { data, next_cursor: next !== null && next.length <= MAX_CURSOR ? next : null }
  },
}

async function invitedTo(ask: ActionContext['ask'], code: string): Promise<unknown> {
  try {
    return await ask.mex('FetchNewsletter', { ...newsletterLookUp(code, 'INVITE', 'SUBSCRIBER'), fetch_full_image: false })
  } catch (cause) {
    const network_code = networkCodeOf(cause)
    if (!NO_NEWSLETTER.has(network_code ?? 0)) throw cause
    throw new Failure('invite_link_invalid', { cause, details: { network_code } })
  }
}
