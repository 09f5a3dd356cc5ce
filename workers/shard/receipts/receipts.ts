/**
 * Handles receipts for messages of the account. The effect of a receipt is on disk before the receipt is confirmed to
 * the network.
 */
import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import type { Clock } from '../../../src/domain/clock.ts'
import { createTurns } from '../../../src/lib/turns.ts'
import type { Identity } from '../connection/identity.ts'
import type { MessageLedger } from '../messages/message-ledger.ts'
import { type Receipt, receiptsOf } from '../translate/inbound/receipt.ts'
import { fromOf } from '../wire/envelope.ts'
import { bare, chatKind } from '../wire/jid.ts'
import { fits } from '../wire/match.ts'
import type { MessageStatuses } from './message-statuses.ts'
import { ofOurs } from './ours.ts'

/** Maximum number of receipts of a stanza that are handled at a time. */
const TAKEN_TOGETHER = 32

export interface ReceiptDeps {
  statuses: Pick<MessageStatuses, 'take'>
  messages: Pick<MessageLedger, 'isOwn'>
  identity: Identity
  me(): AuthenticationCreds['me']
  before(fits: (node: BinaryNode) => boolean): (() => Promise<void>) | undefined
  clock: Clock
}

export function takeReceipt({ statuses, messages, identity, me, before, clock }: ReceiptDeps) {
  async function take(receipt: Receipt, earlier: (() => Promise<void>) | undefined) {
    const ours = await ofOurs(receipt, { identity, messages, before: earlier })
    if (ours) await statuses.take(identity, ours)
  }

  /** Handles the receipts of a stanza. Receipts that are handled together can share a commit. */
  async function takeAll(first: Receipt, others: Iterable<Receipt>, earlier: (() => Promise<void>) | undefined) {
    const turn = createTurns()
    let some = [first]
    for (const receipt of others) {
      if (some.length === TAKEN_TOGETHER) {
        await Promise.all(some.map((each) => take(each, earlier)))
        await turn()
        some = []
      }
      some.push(receipt)
    }
    await Promise.all(some.map((each) => take(each, earlier)))
  }

  return (node: BinaryNode): Promise<void> | undefined => {
    const own = me()
    if (!own) return undefined
    const receipts = receiptsOf(node, own, clock.now())
    const { value: first } = receipts.next()
    if (!first) return undefined
    // Whether an earlier stanza contains a message of the chat to which all of these receipts belong. In a 1:1 chat, a
    // message that was written on the account's phone has the account's own jid as `from`.
    const isFromChat = (earlier: BinaryNode) =>
      fits({ tag: 'message' }, earlier) &&
      (chatKind(first.chat) === 'user' ? identity.isMe(fromOf(earlier)) : bare(fromOf(earlier)) === bare(first.chat))
    return takeAll(first, receipts, before(isFromChat))
  }
}
