import { node, textOf } from '../../wire/node.ts'
import type { Network, Person } from '../model.ts'
import { ACCOUNT_DOCUMENTS } from './account-documents.ts'
import { type Document, MexError } from './document.ts'
import { GROUP_DOCUMENTS } from './group-documents.ts'
import { DIRECTORY_DOCUMENTS } from './newsletter-directory.ts'
import { NEWSLETTER_DOCUMENTS } from './newsletter-documents.ts'
import { WHATSMEOW_DOCUMENTS } from './newsletter-of-whatsmeow.ts'
import { REPORT_DOCUMENTS } from './newsletter-reports.ts'
import type { Answer } from './query.ts'

const DOCUMENTS = new Map(
  [
    ...NEWSLETTER_DOCUMENTS,
    ...WHATSMEOW_DOCUMENTS,
    ...DIRECTORY_DOCUMENTS,
    ...REPORT_DOCUMENTS,
    ...GROUP_DOCUMENTS,
    ...ACCOUNT_DOCUMENTS,
  ].flatMap((document) => document.ids.map((id) => [id, document] as const)),
)

/**
 * Ids of documents that older clients do not use. With the setting `mex_ids: older`, the network does not know these
 * ids.
 */
const NEWER = new Set([...DOCUMENTS.values()].flatMap(({ ids, hasOlder }) => (hasOlder || ids.length > 1 ? ids.slice(0, 1) : [])))

interface Body {
  data: Record<string, unknown> | null
  errors?: unknown[]
}

const failed = (path: string | undefined, code: number, message: string): Body => ({
  data: path === undefined ? null : { [path]: null },
  errors: [
    {
      extensions: { error_code: code, is_retryable: false, severity: 'CRITICAL' },
      message,
      path: path === undefined ? [] : [path],
    },
  ],
})

function answer(network: Network, person: Person, { path, answer }: Document, variables: Record<string, unknown>): Body {
  try {
    const body = { data: { [path]: answer({ network, person, variables }) } }
    network.changed()
    return body
  } catch (error) {
    if (!(error instanceof MexError)) throw error
    return failed(path, error.code, error.message)
  }
}

function variablesOf(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const { variables } = JSON.parse(text ?? '') as { variables?: unknown }
    return typeof variables === 'object' && variables !== null ? (variables as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

export const MEX_QUERIES: Record<string, Answer> = {
  'w:mex get query': ({ network, companion, subject }) => {
    const document = DOCUMENTS.get(subject.attrs.query_id ?? '')
    const variables = variablesOf(textOf(subject))
    const said = (body: Body) => [node('result', {}, JSON.stringify(body))]
    if (!variables) return said(failed(undefined, 400, 'Bad Request'))
    const isTooNew = network.settings.mex_ids === 'older' && NEWER.has(subject.attrs.query_id ?? '')
    if (isTooNew) return said(failed(undefined, 400, 'Bad Request'))
    if (document) return said(answer(network, companion.person, document, variables))
    network.stats.unknownQueries.push(`w:mex get query ${subject.attrs.query_id}`)
    return said(failed(undefined, 400, 'Bad Request'))
  },
}
