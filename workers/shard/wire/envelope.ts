/** Attributes that stanzas of every kind have: sender, subject, time. Pure. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { networkSeconds } from './bounds.ts'

export interface Envelope {
  /** Empty if absent, like the four below. */
  id: string
  /** The chat: a person with device, a group, or a channel. */
  from: string
  type: string
  /** The author, if `from` is not a person. */
  participant: string
  /** The other name of the participant, if the stanza has it. */
  participantAlt: string | undefined
  /** Epoch seconds as text; `wire/bounds.ts` parses them. */
  t: string | undefined
  /** Push name of the sender. */
  pushName: string | undefined
  /** It is from the offline backlog. */
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

/** Chat of a message that another device of the account wrote to a person; undefined if absent. */
export const recipientOf = ({ attrs }: BinaryNode): string | undefined => attrs.recipient
/** The network's time of a stanza in epoch seconds; undefined if absent. */
export const networkTimeOf = ({ attrs }: BinaryNode): number | undefined => networkSeconds(attrs.t)
export const idOf = ({ attrs }: BinaryNode): string => attrs.id ?? ''
/** The chat; empty if absent. */
export const fromOf = ({ attrs }: BinaryNode): string => attrs.from ?? ''
