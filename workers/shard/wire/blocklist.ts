/**
 * Reads and changes the list of blocked people.
 *
 *   <iq xmlns="blocklist" type="get"/>                                → <list addressing_mode dhash><item jid pn_jid?/>…</list>, or none
 *   <iq xmlns="blocklist" type="set"><item action="block" jid pn_jid/></iq>
 *   <iq xmlns="blocklist" type="set"><item action="unblock" jid/></iq>
 * → <list matched="true" dhash/> if the query names the current version of the list, otherwise the whole list with matched="false"
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { type Named, namedBy } from './privacy.ts'

const query = (type: 'get' | 'set', content?: BinaryNode[]): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type, xmlns: 'blocklist' },
  ...(content === undefined ? {} : { content }),
})

export const blocklistQuery = (): BinaryNode => query('get')

/**
 * Blocks a person. If the person has a LID, the query must contain the LID and one further attribute: the number, or a
 * flag that the number is unknown.
 */
export function blockQuery({ lid, pn }: Named): BinaryNode {
  const who = lid === null ? { jid: pn ?? '' } : { jid: lid, ...(pn === null ? { unknown_identifier: 'true' } : { pn_jid: pn }) }
  return query('set', [{ tag: 'item', attrs: { action: 'block', ...who } }])
}

/** Unblocks a person. `jid` is the jid in the list of blocked people. */
export const unblockQuery = (jid: string): BinaryNode => query('set', [{ tag: 'item', attrs: { action: 'unblock', jid } }])

export interface Blocked extends Named {
  jid: string
}

export function blockedIn(answer: BinaryNode): Blocked[] | null {
  const list = getBinaryNodeChild(answer, 'list')
  if (list?.attrs.matched === 'true') return null
  return getBinaryNodeChildren(list, 'item').flatMap((item) =>
    namedBy(item).map((named) => ({ ...named, jid: item.attrs.jid ?? named.lid ?? named.pn ?? '' })),
  )
}
