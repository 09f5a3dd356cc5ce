/**
 * How the network is answered for a message, when all that it means is on disk: a receipt for what was read, and for what was not a request
 * for it, which leaves beside the lines.
 */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { AskAgain } from '../retry/ask-again.ts'
import { type MessageOutcome, messageConfirmations, type Receiver } from '../wire/confirmation.ts'
import type { InboxSession } from './inbox/inbox-session.ts'
import { addressed, isPeerStanza } from './inbox/stanza-message.ts'

export interface MessageAnswerDeps {
  sock: Pick<WASocket, 'authState' | 'sendNode' | 'ws'>
  receiver(): Receiver
  askAgain: AskAgain
  inbox: Pick<InboxSession, 'problemOf'>
  log: Pick<Logger, 'info'>
  killAt(step: string): void
}

export type AnswerMessage = (node: BinaryNode, outcome: MessageOutcome | undefined) => Promise<void>

export function createMessageAnswer({ sock, receiver, askAgain, inbox, log, killAt }: MessageAnswerDeps): AnswerMessage {
  const { creds } = sock.authState

  async function confirm(node: BinaryNode, outcome: MessageOutcome) {
    for (const confirmation of messageConfirmations(node, outcome, receiver())) await sock.sendNode(confirmation)
  }

  /** A request settles the message for the network, and what confirms it comes behind: it would not ask its sender any more. */
  async function askAndConfirm(node: BinaryNode) {
    const key = isPeerStanza(node, creds.me) ? null : addressed(node, creds.me).key
    await askAgain.sender(node, key, inbox.problemOf(node))
    if (sock.ws.isOpen) await confirm(node, 'unread')
  }

  return async (node, outcome = 'done') => {
    if (outcome === 'unread') {
      askAndConfirm(node).catch((error) => {
        if (sock.ws.isOpen) log.info({ err: error, message_id: node.attrs.id }, 'a message could not be asked for again')
      })
      return
    }
    if (outcome === 'absent') askAgain.phone(addressed(node, creds.me).key)
    await confirm(node, outcome)
    if (outcome === 'read') killAt('inbox:after-receipt')
  }
}
