/**
 * The stanza with which the network offers to link this device. It contains references, and each reference makes one QR
 * code.
 *
 *   <iq from="s.whatsapp.net" id type="set" xmlns="md"><pair-device><ref>2@…</ref>…      six references
 *   <iq to="s.whatsapp.net" id type="result"/>                                           the answer (`confirmation.ts`)
 *   <iq from="s.whatsapp.net" id type="set"><pair-success>                              the device is linked
 *     <device-identity>…  <device jid lid/>  <platform name/>  <biz name/>
 *   <iq to="s.whatsapp.net" id type="result"><pair-device-sign>                          the answer
 *     <device-identity key-index>…
 *   <iq to="s.whatsapp.net" id type="error"><error code="401" text="not-authorized"/>   the answer to a report that is refused
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, jidDecode, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { contentText } from './content.ts'
import { envelopeOf, idOf } from './envelope.ts'
import { isFromServer } from './passkey.ts'

/** Returns the references in the order in which they are shown; empty ones are omitted. */
export const refsIn = (offer: BinaryNode): string[] =>
  getBinaryNodeChildren(getBinaryNodeChild(offer, 'pair-device'), 'ref').flatMap((ref) => contentText(ref) || [])

export interface PairSuccess {
  id: string
  /** The device's identity, encoded, with the proof that it comes from the phone. */
  identity: Uint8Array
  jid: string
  lid: string | undefined
  /** Platform of the phone. */
  platform: string | undefined
  /** Name of the business, if the account has one. */
  businessName: string | undefined
}

/** Reads the report that this device has been linked. Throws if it has no identity or no device. */
export function pairSuccessIn(node: BinaryNode): PairSuccess {
  const success = getBinaryNodeChild(node, 'pair-success')
  const attrsOf = (tag: string): BinaryNode['attrs'] => getBinaryNodeChild(success, tag)?.attrs ?? {}
  const identity = getBinaryNodeChild(success, 'device-identity')?.content
  const { jid, lid } = attrsOf('device')
  if (!(identity instanceof Uint8Array) || !jid || !isDevice(jid))
    throw new Error('the report of a linked device has no identity or no device')
  return { id: idOf(node), identity, jid, lid, platform: attrsOf('platform').name, businessName: attrsOf('biz').name }
}

/** Whether the jid is that of a linked device. The phone itself is device 0, which has no number in a jid. */
const isDevice = (jid: string): boolean => (jidDecode(jid)?.device ?? 0) > 0

/** Builds the answer, which completes the link. `identity`: the encoded identity, signed by this device. */
export const signedIdentity = (id: string, keyIndex: number, identity: Uint8Array): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'result', id },
  content: [
    {
      tag: 'pair-device-sign',
      attrs: {},
      content: [{ tag: 'device-identity', attrs: { 'key-index': String(keyIndex) }, content: identity }],
    },
  ],
})

/** Code with which a report of a linked device is refused. */
export const PAIRING_REFUSED = 401

/** Builds the answer to a report that cannot be verified. */
export const pairingRefusal = (report: BinaryNode): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'error', id: idOf(report) },
  content: [{ tag: 'error', attrs: { code: String(PAIRING_REFUSED), text: 'not-authorized' } }],
})

export const isPairSuccess = (node: BinaryNode): boolean =>
  node.tag === 'iq' &&
  envelopeOf(node).type === 'set' &&
  isFromServer(node) &&
  getBinaryNodeChild(node, 'pair-success') !== undefined
