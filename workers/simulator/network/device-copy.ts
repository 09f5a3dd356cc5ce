/** A message as one device receives it. */
import type { CompanionNode } from './companions.ts'
import type { Companion } from './model.ts'

export type Cipher = 'pkmsg' | 'msg' | 'skmsg'

/** One device's copy of a message that a linked device sent. */
export interface DeviceCopy {
  id: string
  from: Companion
  /** The chat in the addressing that the sender used. Receipts use the same addressing. */
  chat: string
  encs: { type: Cipher; ciphertext: Buffer; attrs: Record<string, string> }[]
  /** Whether it is a message of the account's own linked device to its phone. */
  isPeer: boolean
  /** Number of times that the device has requested the message again. */
  count: number
  /** Child nodes of the stanza other than its ciphertexts. */
  nodes: CompanionNode[]
  /** Attributes of the stanza. */
  attrs: Record<string, string>
  /** Tags of every element in the stanza. */
  tags: string[]
}
