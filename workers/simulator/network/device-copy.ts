/** A message as one device receives it. */
import type { CompanionNode } from './companions.ts'
import type { Companion } from './model.ts'

export type Cipher = 'pkmsg' | 'msg' | 'skmsg'

/** One device's copy of a message that a linked device sent. */
export interface DeviceCopy {
  id: string
  from: Companion
  /** The chat in the sender's addressing: receipts are returned in the same addressing. */
  chat: string
  encs: { type: Cipher; ciphertext: Buffer; attrs: Record<string, string> }[]
  /** Whether it is a message of the phone's own account. */
  isPeer: boolean
  /** Number of retry requests for the message. */
  count: number
  /** Nodes of the stanza beside the ciphertexts. */
  nodes: CompanionNode[]
  /** Attributes of the stanza. */
  attrs: Record<string, string>
  /** Tags of every element in the stanza. */
  tags: string[]
}
