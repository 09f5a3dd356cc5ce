/**
 * The stanza with which the network offers to link this device. It contains references, and each reference makes one QR code.
 *
 *   <iq from="s.whatsapp.net" id type="set" xmlns="md"><pair-device><ref>2@…</ref>…      six references
 *   <iq to="s.whatsapp.net" id type="result"/>                                           the answer (`confirmation.ts`)
 *   <iq from="s.whatsapp.net" id type="set"><pair-success>…                            the device is linked
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys'
import { contentText } from './content.ts'

/** Returns the references in the order in which they are shown; empty ones are omitted. */
export const refsIn = (offer: BinaryNode): string[] =>
  getBinaryNodeChildren(getBinaryNodeChild(offer, 'pair-device'), 'ref').flatMap((ref) => contentText(ref) || [])

export const isPairSuccess = (node: BinaryNode): boolean =>
  node.tag === 'iq' && getBinaryNodeChild(node, 'pair-success') !== undefined
