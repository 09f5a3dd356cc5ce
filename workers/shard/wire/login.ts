/**
 * The stanza that accepts a login, `<success lid t …/>`, and the queries after it.
 *
 *   <iq to="s.whatsapp.net" type="get" xmlns="encrypt"><count/></iq>     → <count value/>: one-time keys that the network still has
 *   <iq to="s.whatsapp.net" type="set" xmlns="passive"><active/></iq>    stanzas may arrive from now on
 *   <iq to="s.whatsapp.net" type="get" xmlns="encrypt"><digest/></iq>    → <digest>…: the keys of this device
 */
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

const query = (type: 'get' | 'set', xmlns: string, tag: string): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type, xmlns },
  content: [{ tag, attrs: {} }],
})

export const keyCountQuery = (): BinaryNode => query('get', 'encrypt', 'count')
export const activeQuery = (): BinaryNode => query('set', 'passive', 'active')
export const keyDigestQuery = (): BinaryNode => query('get', 'encrypt', 'digest')

export const keyCountIn = (answer: BinaryNode): number => Number(getBinaryNodeChild(answer, 'count')?.attrs.value)
export const hasKeyDigest = (answer: BinaryNode): boolean => getBinaryNodeChild(answer, 'digest') !== undefined
/** Returns the LID in `<success lid=…/>`; undefined if it is absent or empty. */
export const lidOfLogin = ({ attrs }: BinaryNode): string | undefined => attrs.lid || undefined
