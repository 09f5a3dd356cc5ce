/**
 * Answers the network for a message after all its effects are on disk: with a receipt or an ack, and for an unreadable
 * message also with a retry request. Similar receipts of one turn of the event loop are joined, up to `MAX_LISTED` into
 * one.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Steps } from '../../../src/domain/steps.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import type { AskAgain } from '../retry/ask-again.ts'
import { joinedReceipt, type MessageOutcome, messageConfirmations, type Receiver, receiptGroup } from '../wire/confirmation.ts'
import { idOf } from '../wire/envelope.ts'
import type { InboxSession } from './inbox/inbox-session.ts'
import { addressed, isPeerStanza } from './inbox/stanza-message.ts'

export interface MessageAnswerDeps {
  sock: Pick<NetworkSocket, 'authState' | 'sendNode' | 'ws'>
  receiver(): Receiver
  askAgain: AskAgain
  inbox: Pick<InboxSession, 'problemOf'>
  log: Pick<Logger, 'info'>
  steps: Steps
}

const MAX_LISTED = 100

export type AnswerMessage = (node: BinaryNode, outcome: MessageOutcome | undefined) => Promise<void>

export function createMessageAnswer({ sock, receiver, askAgain, inbox, log, steps }: MessageAnswerDeps): AnswerMessage {
  const { creds } = sock.authState

  async function confirm(node: BinaryNode, outcome: MessageOutcome) {
    for (const confirmation of messageConfirmations(node, outcome, receiver())) await sock.sendNode(confirmation)
  }

  /** Receipts of the current turn of the event loop, by the fields that they share. */
  const due = new Map<string, { receipts: [BinaryNode, ...BinaryNode[]]; sent: Promise<void> }>()

  async function sendTogether(receipt: BinaryNode): Promise<void> {
    const group = receiptGroup(receipt)
    const together = due.get(group)
    if (together && together.receipts.length < MAX_LISTED) {
      together.receipts.push(receipt)
      return together.sent
    }
    const receipts: [BinaryNode, ...BinaryNode[]] = [receipt]
    const begun = {
      receipts,
      sent: nextTurn().then(async () => {
        if (due.get(group) === begun) due.delete(group)
        // If the connection has ended, nothing is sent: the messages are delivered again, and are then recognized as
        // seen.
        if (sock.ws.isOpen) await sock.sendNode(joinedReceipt(receipts))
      }),
    }
    due.set(group, begun)
    return begun.sent
  }

  /**
   * Requests the message again, and then confirms it. The request must come first, because the network would not pass
   * a request for a confirmed message to the sender.
   */
  async function askAndConfirm(node: BinaryNode) {
    const key = isPeerStanza(node, creds.me) ? null : addressed(node, creds.me).key
    await askAgain.sender(node, key, inbox.problemOf(node))
    if (sock.ws.isOpen) await confirm(node, 'unread')
  }

  return async (node, outcome = 'done') => {
    if (outcome === 'unread') {
      askAndConfirm(node).catch((error) => {
        if (sock.ws.isOpen)
          log.info({ err: error, message_id: idOf(node) }, 'a message could not be requested again from its sender')
      })
      return
    }
    if (outcome === 'absent') askAgain.phone(addressed(node, creds.me).key)
    if (outcome !== 'read') return await confirm(node, outcome)
    for (const receipt of messageConfirmations(node, outcome, receiver())) await sendTogether(receipt)
    steps('inbox:after-receipt')
  }
}
