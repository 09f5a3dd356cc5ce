/**
 * Keep-alive queries of both sides.
 *
 *   <iq to="s.whatsapp.net" type="get" xmlns="w:p"/>              ours; the library puts a `<ping/>` inside, which the web client does not
 *   <iq from="s.whatsapp.net" type="get" xmlns="urn:xmpp:ping"/>  the network's, which ends the stream of a client that gives no result (`confirmation.ts`)
 */
import { type BinaryNode, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

export const ping = (): BinaryNode => ({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:p' } })
