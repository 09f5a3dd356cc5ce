/**
 * Parses `<notification type="newsletter" from=channel t>`: roles and reactions in a channel, one child each.
 *
 *   <participant jid role? action?/>      <reaction message_id|server_id><reaction code?/></reaction>
 */
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild } from '@whiskeysockets/baileys'
import { contentText } from './content.ts'

export type NewsletterChange =
  | { type: 'role'; jid: string; isAdmin: boolean }
  /** `serverId`: server id of the post. An empty code means that the reaction was removed. */
  | { type: 'reaction'; serverId: string; code: string }

export interface NewsletterNotice {
  newsletter: string
  /** Time in epoch seconds, as text. */
  t: string | undefined
  changes: readonly NewsletterChange[]
}

export const newsletterNoticeIn = (notice: BinaryNode): NewsletterNotice => ({
  newsletter: notice.attrs.from ?? '',
  t: notice.attrs.t,
  changes: getAllBinaryNodeChildren(notice).flatMap(changeOf),
})

function changeOf(child: BinaryNode): NewsletterChange[] {
  const { jid = '', role = '', action, message_id: id, server_id: serverId } = child.attrs
  if (child.tag === 'participant') return [{ type: 'role', jid, isAdmin: /admin/i.test(role) || action === 'promote' }]
  if (child.tag !== 'reaction') return []
  const inner = getBinaryNodeChild(child, 'reaction')
  return [{ type: 'reaction', serverId: id ?? serverId ?? '', code: inner?.attrs.code ?? contentText(inner) ?? '' }]
}
