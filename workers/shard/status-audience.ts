/**
 * Who sees a status post: the audience set in the phone app (shared/api/status-and-events.md). The network tells the setting; with a list
 * it tells the list. Contacts beyond that come with the contact directory; until then a status goes to the list and to our own devices.
 */
import { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { SECOND } from '../../src/domain/clock.ts'
import { boundedQuery } from './baileys/query.ts'
import type { Session } from './session.ts'
import { sendFailure } from './translate/failures.ts'
import { bare } from './translate/jid.ts'

const QUERY_DEADLINE = 20 * SECOND

export async function statusAudience({ sock }: Session): Promise<string[]> {
  const answer = await boundedQuery(
    sock,
    { tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'status' }, content: [{ tag: 'privacy', attrs: {} }] },
    QUERY_DEADLINE,
  ).catch((error) => {
    throw sendFailure(error)
  })
  const lists = getBinaryNodeChildren(getBinaryNodeChild(answer, 'privacy'), 'list')
  const chosen =
    lists.find(({ attrs }) => attrs.type === 'whitelist' && attrs.default === 'true') ??
    lists.find(({ attrs }) => attrs.type === 'whitelist')
  const users = chosen ? getBinaryNodeChildren(chosen, 'user').map(({ attrs }) => attrs.jid) : []
  const me = sock.user?.id
  return [...new Set([...users, me].filter((jid) => jid !== undefined).map(bare))]
}
