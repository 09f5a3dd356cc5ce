/** Receipts for own messages: what one says is on disk before it is confirmed. */
import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import type { Clock } from '../../../src/domain/clock.ts'
import type { Authorship } from '../chats/authorship.ts'
import type { Identity } from '../connection/identity.ts'
import { type Receipt, receiptOf } from '../translate/inbound/receipt.ts'
import { bare, chatKind } from '../wire/jid.ts'
import type { MessageStatuses } from './message-status.ts'
import { ofOurs } from './ours.ts'

export interface ReceiptDeps {
  statuses: Pick<MessageStatuses, 'take'>
  authorship: Pick<Authorship, 'isOwn'>
  identity: Identity
  me(): AuthenticationCreds['me']
  /** Resolves when the stanzas that fit and came until now are through; undefined where all are. */
  before(fits: (node: BinaryNode) => boolean): (() => Promise<void>) | undefined
  clock: Clock
}

export function takeReceipt({ statuses, authorship, identity, me, before, clock }: ReceiptDeps) {
  async function take(receipt: Receipt, earlier: (() => Promise<void>) | undefined) {
    const ours = await ofOurs(receipt, { identity, authorship, before: earlier })
    if (ours) await statuses.take(identity, ours)
  }

  return (node: BinaryNode): Promise<void> | undefined => {
    const own = me()
    const receipt = own && receiptOf(node, own, clock.now())
    if (!receipt) return undefined
    // What our own phone sends to a person comes from ourselves.
    const isFromChat = ({ tag, attrs: { from = '' } }: BinaryNode) =>
      tag === 'message' && (chatKind(receipt.chat) === 'user' ? identity.isMe(from) : bare(from) === bare(receipt.chat))
    return take(receipt, before(isFromChat))
  }
}
