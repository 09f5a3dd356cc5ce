import type { CompanionNode } from './companions.ts'
import type { Companion } from './model.ts'

export type Cipher = 'pkmsg' | 'msg' | 'skmsg'

export interface DeviceCopy {
  id: string
  from: Companion
  /** JID of the chat. It contains the number or the LID, as the sender used it. Receipts use the same JID. */
  chat: string
  encs: { type: Cipher; ciphertext: Buffer; attrs: Record<string, string> }[]
  /** Whether a linked device sent the message to its own phone. */
  isPeer: boolean
  count: number
  nodes: CompanionNode[]
  attrs: Record<string, string>
  tags: string[]
}
