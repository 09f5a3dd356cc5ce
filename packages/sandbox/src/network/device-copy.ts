/** A message as one device receives it. */
import type { CompanionNode } from './companions.ts'
import type { Companion } from './model.ts'

export type Cipher = 'pkmsg' | 'msg' | 'skmsg'

/** One device's copy of a message that a linked device sent. */
export interface DeviceCopy {
  id: string
  from: Companion
  /** JID of the chat, by number or LID as the sender used it. Receipts use the same one. */
  chat: string
  encs: { type: Cipher; ciphertext: Buffer; attrs: Record<string, string> }[]
  /** Whether a linked device of the account sent it to its own phone (a peer message). */
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
