import type { AnswerAction } from '../../watch/answers.ts'
import { fromJson } from '../../watch/stanza-json.ts'
import { type BinaryNode, children, firstChild, node, SERVER_JID, seconds } from '../../wire/node.ts'
import { factsOf } from '../connection.ts'
import { activate } from '../login.ts'
import type { Companion, Connection, Network } from '../model.ts'
import { ACCOUNT_QUERIES } from './account.ts'
import { APP_STATE_QUERIES } from './app-state.ts'
import { BUSINESS_QUERIES } from './business.ts'
import { CATALOG_QUERIES } from './catalog.ts'
import { COMMUNITY_QUERIES } from './communities.ts'
import { CONNECTION_QUERIES } from './connection.ts'
import { GROUP_QUERIES } from './groups.ts'
import { KEY_QUERIES } from './keys.ts'
import { MEX_QUERIES } from './mex.ts'
import { NEWSLETTER_QUERIES } from './newsletters.ts'
import { PASSKEY_QUERIES } from './passkey.ts'
import { PRIVACY_QUERIES } from './privacy.ts'
import { PROFILE_QUERIES } from './profile.ts'
import { type Answer, type Query, QueryError, UndescribedError } from './query.ts'
import { USYNC_QUERIES } from './usync.ts'

/** Handlers by `xmlns type child`. `*` stands for any child, or for no child. */
const QUERIES: Record<string, Answer> = {
  ...CONNECTION_QUERIES,
  ...PASSKEY_QUERIES,
  ...KEY_QUERIES,
  ...USYNC_QUERIES,
  ...PRIVACY_QUERIES,
  ...PROFILE_QUERIES,
  ...APP_STATE_QUERIES,
  ...GROUP_QUERIES,
  ...COMMUNITY_QUERIES,
  ...BUSINESS_QUERIES,
  ...CATALOG_QUERIES,
  ...NEWSLETTER_QUERIES,
  ...MEX_QUERIES,
  ...ACCOUNT_QUERIES,
}

export const ANSWERED_QUERIES: readonly string[] = Object.keys(QUERIES)

/** Queries that a device without an account may send. */
const ALLOWED_WITHOUT_ACCOUNT = new Set([
  'md set link_code_companion_reg',
  'w:p get ping',
  'w:p get *',
  ...Object.keys(PASSKEY_QUERIES),
])

export async function answerQuery(network: Network, connection: Connection, item: BinaryNode): Promise<void> {
  const ordered = network.answers.take(factsOf(connection, 'client'), item)
  if (ordered) {
    if (ordered.apply) await answerAs(network, connection, item, () => undefined)
    const instead = orderedAnswer(item, ordered.do)
    if (instead) connection.send(instead, true)
    return
  }
  return answerAs(network, connection, item, connection.send)
}

/** Builds the answer that the control API has set. Returns undefined for `pass` and `nothing`. */
function orderedAnswer(item: BinaryNode, action: AnswerAction): BinaryNode | undefined {
  if (action === 'pass' || action === 'nothing') return undefined
  if ('error' in action) {
    const [code, text, inside = []] = action.error
    return queryError(item, code, text, inside.map(fromJson))
  }
  return queryResult(item, action.result.map(fromJson))
}

async function answerAs(
  network: Network,
  connection: Connection,
  item: BinaryNode,
  send: (answer: BinaryNode, isOrdered?: boolean) => void,
): Promise<void> {
  const { xmlns = '', type = '' } = item.attrs
  // Clients write the children of a query in any order, so the child that is in the table is used.
  const subject = children(item).find(({ tag }) => QUERIES[`${xmlns} ${type} ${tag}`]) ?? firstChild(item) ?? node('nothing')
  const name = `${xmlns} ${type} ${subject.tag}`
  const row = name in QUERIES ? name : `${xmlns} ${type} *`
  const answer = QUERIES[row]
  if (!answer) {
    network.stats.unknownQueries.push(name)
    return send(queryError(item, 501, 'feature-not-implemented'))
  }
  const companion = connection.companion
  if (!companion && !ALLOWED_WITHOUT_ACCOUNT.has(row)) return send(queryError(item, 401, 'not-authorized'))
  try {
    const content = await answer({ network, connection, companion: companion as Companion, item, subject })
    send(queryResult(item, content))
    if (companion) AFTERWARDS[name]?.({ network, connection, companion, item, subject })
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    send(queryError(item, error.code, error.message), error instanceof UndescribedError)
  }
}

/** Functions that run after the answer was sent, by query. */
const AFTERWARDS: Record<string, (query: Query) => void> = {
  'passive set active': ({ network, connection, companion }) => activate(network, connection, companion),
}

function queryResult(item: BinaryNode, content: BinaryNode[] | undefined): BinaryNode {
  return node('iq', { from: item.attrs.to ?? SERVER_JID, id: item.attrs.id, t: seconds(), type: 'result' }, content)
}

export function queryError(item: BinaryNode, code: number, text: string, inside: BinaryNode[] = []): BinaryNode {
  const error = node('error', { code, text }, inside.length > 0 ? inside : undefined)
  return node('iq', { from: item.attrs.to ?? SERVER_JID, id: item.attrs.id, type: 'error' }, [error])
}
