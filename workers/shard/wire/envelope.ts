/** Reads the attributes that stanzas of all kinds have: sender, chat, time. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { networkSeconds } from './bounds.ts'

export interface Envelope {
  /** Id of the stanza. This field and the next three are empty if the attribute is absent. */
  id: string
  /** Jid of the chat: a person with a device part, a group, or a channel. */
  from: string
  type: string
  /** Jid of the author, if `from` is not a person. */
  participant: string
  /** The participant's other jid (number or LID), if the stanza has it. */
  participantAlt: string | undefined
  /** Time in epoch seconds, as text. */
  t: string | undefined
  pushName: string | undefined
  /** Whether the stanza is from the offline backlog. */
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

export const recipientOf = ({ attrs }: BinaryNode): string | undefined => attrs.recipient
/** Returns the time of a stanza in epoch seconds; undefined if the stanza has no valid time. */
export const networkTimeOf = ({ attrs }: BinaryNode): number | undefined => networkSeconds(attrs.t)
export const idOf = ({ attrs }: BinaryNode): string => attrs.id ?? ''
export const fromOf = ({ attrs }: BinaryNode): string => attrs.from ?? ''
