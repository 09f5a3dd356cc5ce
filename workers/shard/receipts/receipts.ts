/**
 * Receipts for own messages. The library confirms each to the network as soon as it has read it, and the network then never sends it again:
 * what it says is on disk before that (`store-before-ack.ts`).
 */
import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import { rawSocket } from '../baileys/end.ts'
import type { Authorship } from '../chats/authorship.ts'
import type { Session } from '../connection/session.ts'
import { raiseGate } from '../receive/store-before-ack.ts'
import { type Receipt, receiptOf } from '../translate/inbound/receipt.ts'
import { bare, chatKind } from '../wire/jid.ts'
import type { MessageStatuses } from './message-status.ts'
import { ofOurs } from './ours.ts'

export interface ReceiptDeps {
  statuses: Pick<MessageStatuses, 'take' | 'settled'>
  authorship: Pick<Authorship, 'isOwn'>
  clock: Clock
  log: Logger
}

export function attachReceipts(session: Session, { statuses, authorship, clock, log }: ReceiptDeps): void {
  const { sock, identity } = session

  async function take(receipt: Receipt) {
    // What our own phone sends to a person comes from ourselves.
    const before = session.before(chatKind(receipt.chat) === 'user' ? identity.own() : [bare(receipt.chat)])
    const ours = await ofOurs(receipt, { identity, authorship, before })
    if (ours) await statuses.take(identity, ours)
  }

  raiseGate(sock, {
    name: 'CB:receipt',
    inTurn: false,
    take(node) {
      // Sent again while it is still being sent, the ack of the one could be taken for that of the other.
      if (node.attrs.type === 'retry') return statuses.settled(node.attrs.id ?? '')
      const { me } = session
      const receipt = me && receiptOf(node, me, clock.now())
      return receipt ? take(receipt) : undefined
    },
    onFailure(error) {
      log.error({ err: error }, 'a receipt could not be written; the connection is cut')
      rawSocket(sock)?.terminate()
    },
  })
}
