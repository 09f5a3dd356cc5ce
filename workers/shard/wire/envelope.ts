/** Attributes that stanzas of every kind have: from whom, about what, when. Pure. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { networkSeconds } from './bounds.ts'

export interface Envelope {
  /** Empty: absent, as with the four below. */
  id: string
  /** The chat: a person, with the device; a group; a channel. */
  from: string
  type: string
  /** Who wrote, where `from` is not a person. */
  participant: string
  /** The other name of the participant, where the stanza has it. */
  participantAlt: string | undefined
  /** Epoch seconds, as text; `wire/bounds.ts` reads them. */
  t: string | undefined
  /** The name that the sender goes by. */
  pushName: string | undefined
  /** It waited while the account was away. */
  isOffline: boolean
}

export const envelopeOf = ({ attrs }: BinaryNode): Envelope => ({
  id: attrs.id ?? '',
  from: attrs.from ?? '',
  type: attrs.type ?? '',
  participant: attrs.participant ?? '',
  participantAlt: attrs.participant_pn ?? attrs.participant_lid,
  t: attrs.t,
  pushName: attrs.notify,
  isOffline: attrs.offline !== undefined,
})

/** The chat of a message that another device of the account wrote to a person; undefined: absent. */
export const recipientOf = ({ attrs }: BinaryNode): string | undefined => attrs.recipient
/** Network's time of a stanza, in epoch seconds; undefined: absent. */
export const networkTimeOf = ({ attrs }: BinaryNode): number | undefined => networkSeconds(attrs.t)
export const idOf = ({ attrs }: BinaryNode): string => attrs.id ?? ''
/** The chat; empty: absent. */
export const fromOf = ({ attrs }: BinaryNode): string => attrs.from ?? ''
