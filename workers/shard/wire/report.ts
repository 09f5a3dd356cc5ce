/**
 * Reports a person or a group to the network as spam. The protocol allows attached messages, but this service attaches
 * none.
 *
 *   <iq xmlns="spam" type="set"><spam_list spam_flow="account_info_report" jid><tctoken/></spam_list></iq>      → <report id/>
 *   <iq xmlns="spam" type="set"><spam_list spam_flow="group_info_report" jid subject is_known_chat="true"/></iq>
 */
import { type BinaryNode, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

const report = (attrs: Record<string, string>, content: BinaryNode[] = []): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'spam' },
  content: [{ tag: 'spam_list', attrs, content }],
})

export const personReport = (jid: string, token: BinaryNode[] = []): BinaryNode =>
  report({ spam_flow: 'account_info_report', jid }, token)

export const groupReport = (jid: string, subject: string): BinaryNode =>
  report({ spam_flow: 'group_info_report', jid, subject, is_known_chat: 'true' })
