/**
 * Whether the other side is still there, asked both ways.
 *
 *   <iq to="s.whatsapp.net" type="get" xmlns="w:p"/>              ours; the library puts a `<ping/>` inside, which the web client does not
 *   <iq from="s.whatsapp.net" type="get" xmlns="urn:xmpp:ping"/>  the network's, who ends the stream of whom it gets no result from
 */
import { type BinaryNode, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

export const ping = (): BinaryNode => ({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:p' } })

export const pong = ({ attrs }: BinaryNode): BinaryNode => ({
  tag: 'iq',
  attrs: { ...(attrs.id ? { id: attrs.id } : {}), to: attrs.from ?? S_WHATSAPP_NET, type: 'result' },
})
