/**
 * Builds `<iq to="s.whatsapp.net" type="set" xmlns="md"><remove-companion-device jid reason="user_initiated"/></iq>`:
 * this device is unlinked.
 */
import { type BinaryNode, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

export const logoutQuery = (jid: string, id: string): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', id, xmlns: 'md' },
  content: [{ tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }],
})
