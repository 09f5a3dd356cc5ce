import type { Newsletter } from '../newsletter-model.ts'
import { type Document, MexError, type MexRequest } from './document.ts'
import { listed, recommended, similar } from './newsletter-shown.ts'

interface Search {
  search_text?: unknown
  view?: unknown
  country_codes?: unknown
  categories?: unknown
  filters?: { country_codes?: unknown; categories?: unknown }
  limit?: unknown
  start_cursor?: unknown
}

const VIEWS = new Set(['RECOMMENDED', 'TRENDING', 'POPULAR', 'NEW', 'FEATURED'])

/** Returns the input of a search. Like the real network, throws if the flag `fetch_status_metadata` is missing. */
function inputOf({ variables }: MexRequest): Search {
  const { input } = variables
  if (variables.fetch_status_metadata === undefined || typeof input !== 'object' || input === null)
    throw new MexError(400, 'Bad Request')
  return input
}

function page(all: Newsletter[], { limit, start_cursor: cursor }: Search) {
  if (typeof limit !== 'number' || limit < 1) throw new MexError(400, 'Bad Request')
  const from = Number(Buffer.from(typeof cursor === 'string' ? cursor : '', 'base64').toString() || 0)
  if (!Number.isSafeInteger(from)) throw new MexError(400, 'Bad Request')
  const hasNextPage = from + limit < all.length
  return {
    page_info: {
      endCursor: hasNextPage ? Buffer.from(String(from + limit)).toString('base64') : null,
      hasNextPage,
      hasPreviousPage: from > 0,
      startCursor: typeof cursor === 'string' ? cursor : null,
    },
    result: all.slice(from, from + limit).map(listed),
  }
}

const listedIn = ({ network }: MexRequest) => [...network.newsletters.values()].filter(({ listing }) => listing !== undefined)

function search(request: MexRequest) {
  const input = inputOf(request)
  const { search_text: text, categories, view, country_codes: countries } = input
  if (typeof text !== 'string' || !Array.isArray(categories) || view !== undefined || countries !== undefined)
    throw new MexError(400, 'Bad Request')
  const wanted = text.toLowerCase()
  return page(
    listedIn(request).filter(({ name }) => name.toLowerCase().includes(wanted)),
    input,
  )
}

function list(request: MexRequest) {
  const input = inputOf(request)
  const { view, filters } = input
  const countries = filters?.country_codes
  if (typeof view !== 'string' || !VIEWS.has(view) || !Array.isArray(countries) || !Array.isArray(filters?.categories))
    throw new MexError(400, 'Bad Request')
  const fits = ({ listing }: Newsletter) =>
    listing?.views.includes(view) && (countries.length === 0 || countries.includes(listing.country))
  return page(listedIn(request).filter(fits), input)
}

const isNumber = (limit: unknown): limit is number => typeof limit === 'number' && limit >= 1

function recommendations(request: MexRequest) {
  const { country_codes: countries, limit } = inputOf(request)
  if (!isNumber(limit) || !Array.isArray(countries)) throw new MexError(400, 'Bad Request')
  const found = listedIn(request).filter(
    ({ listing }) => listing?.views.includes('RECOMMENDED') && (countries.length === 0 || countries.includes(listing.country)),
  )
  const page = { endCursor: null, hasNextPage: false, hasPreviousPage: false, startCursor: null }
  return { page_info: page, result: found.slice(0, limit).map((one) => recommended(one, request.variables)) }
}

function similarOnes(request: MexRequest) {
  const { country_codes: countries, limit, newsletter_id: id } = inputOf(request) as Search & { newsletter_id?: unknown }
  const like = request.network.newsletters.get(String(id ?? ''))
  if (!like || !isNumber(limit) || !Array.isArray(countries)) throw new MexError(400, 'Bad Request')
  const found = listedIn(request).filter((one) => one !== like && one.listing?.country === like.listing?.country)
  return { result: found.slice(0, limit).map(similar) }
}

/** Answers a search by category. Channels of this network have no category, so it finds none. */
function categories(request: MexRequest) {
  const { categories: wanted, per_category_limit: limit } = inputOf(request) as Search & { per_category_limit?: unknown }
  if (!isNumber(limit) || !Array.isArray(wanted) || wanted.length === 0) throw new MexError(400, 'Bad Request')
  return { result: wanted.map(String).map((category) => ({ category, category_title: category, newsletters: [] })) }
}

export const DIRECTORY_DOCUMENTS: Document[] = [
  {
    name: 'FetchNewsletterDirectorySearchResults',
    ids: ['26301059626252132'],
    path: 'xwa2_newsletters_directory_search',
    answer: search,
  },
  { name: 'FetchNewsletterDirectoryList', ids: ['26125047313831973'], path: 'xwa2_newsletters_directory_list', answer: list },
  {
    name: 'FetchRecommendedNewsletters',
    ids: ['25806748772361516'],
    path: 'xwa2_newsletters_recommended',
    answer: recommendations,
  },
  { name: 'FetchSimilarNewsletters', ids: ['26217043484590756'], path: 'xwa2_newsletters_similar', answer: similarOnes },
  {
    name: 'FetchNewsletterDirectoryCategoriesPreview',
    ids: ['35266481849605779'],
    path: 'xwa2_newsletters_directory_category_preview',
    answer: categories,
  },
]
