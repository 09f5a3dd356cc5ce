/**
 * Sends one item of the queue with the handler of its operation. The commit that ends the item contains its `delivery`
 * event, the status `sent`, and the event of the sent message.
 */
import type { WAMessage } from '@whiskeysockets/baileys'
import { Failure } from '../../../../src/domain/failures.ts'
import type { SendOutcome } from '../../../../src/domain/send-outcome.ts'
import { isStorageFailure } from '../../../../src/domain/storage-failure.ts'
import type { Session } from '../../chats/session.ts'
import type { Context } from '../../context/instance-context.ts'
import { resultOf, type SendItem, type SendResult, TryLater } from '../../queue/contract.ts'
import type { MessageStatuses } from '../../receipts/message-statuses.ts'
import type { OwnEvent } from '../../receive/own-events.ts'
import type { Outbox } from '../../webhooks/outbox.ts'
import { bare, chatKind, identifierOf } from '../../wire/jid.ts'
import type { Ahead } from '../ahead.ts'
import type { Contexts } from '../contexts.ts'
import type { Accepted, SendContext } from '../contract.ts'
import { sendAgain } from './send-again.ts'

export interface SenderDeps {
  outbox: Pick<Outbox, 'append' | 'committed'>
  statuses: Pick<MessageStatuses, 'hold' | 'release' | 'sent'>
  contexts: Contexts
  ahead: Pick<Ahead, 'take'>
  handlerOf(operation: string): ((context: SendContext, input: never) => Promise<Accepted>) | undefined
  session(): Session | null
  own: OwnEvent
}

/**
 * Sends an item. Resolves when the network has accepted or refused it. Rejects if there is no connection, if the
 * storage failed, or with `TryLater`.
 */
export type Sender = (item: SendItem) => Promise<SendResult>

export function createSender(
  { clock, log }: Context<'clock' | 'log'>,
  { outbox, statuses, contexts, ahead, handlerOf, session, own }: SenderDeps,
): Sender {
  /** Returns the result of an accepted item. The look-ups take time, so they are made before the commit. */
  async function accepted(message: WAMessage, { identity }: Session, item: SendItem): Promise<SendResult> {
    const { messageId, requestId, again } = item
    const { remoteJid, id } = message.key
    const acked = { chat: remoteJid ?? '', id: id ?? '', at: clock.now(), requestId, isNew: !again }
    const first = await statuses.sent(identity, acked)
    const ownEvent = await own(message)
    const phone = await phoneOf(message, identity)
    let appended: ReturnType<Outbox['append']> | null = null
    return {
      outcome: { status: 'sent', phone },
      commit() {
        const firstOps = first?.ops() ?? []
        appended ??= ownEvent && outbox.append(ownEvent, requestId)
        return [...firstOps, ...(appended?.ops ?? [])]
      },
      after() {
        first?.applied()
        if (appended) outbox.committed(appended.eventId)
        statuses.release(messageId)
      },
    }
  }

  /**
   * Returns the result of an item that has no sent message. Its `after`, which is called after the commit, releases the
   * receipts that arrived during the send.
   */
  const releasing = (outcome: SendOutcome, { messageId }: SendItem): SendResult => ({
    ...resultOf(outcome),
    after: () => statuses.release(messageId),
  })

  return async function send(item) {
    const { messageId, operation } = item
    const handler = handlerOf(operation)
    const current = session()
    if (!handler) return resultOf({ status: 'failed', code: 'internal', message: `There is no send operation ${operation}.` })
    if (!current?.isOpen) throw new Failure('instance_not_connected')
    const context = contexts.of(current, item, ahead.take(item.svcId, current))
    statuses.hold(messageId)
    try {
      const { message } = (item.again && (await sendAgain(context))) || (await handler(context, item.input as never))
      return message ? await accepted(message, current, item) : releasing({ status: 'sent' }, item)
    } catch (error) {
      if (!isDecision(error)) {
        statuses.release(messageId)
        throw error
      }
      log.info({ operation, code: error.code, err: error.cause, request_id: item.requestId }, 'a message could not be sent')
      return releasing({ status: 'failed', code: error.code, message: error.message }, item)
    }
  }
}

/**
 * Whether the error decides the outcome of the item. After any other error, the item stays in the queue, or the queue
 * reports a bug.
 */
const isDecision = (error: unknown): error is Failure =>
  error instanceof Failure && !(error instanceof TryLater) && error.code !== 'instance_not_connected' && !isStorageFailure(error)

async function phoneOf({ key }: WAMessage, identity: Session['identity']): Promise<string> {
  const chat = key.remoteJid ?? ''
  return chatKind(chat) === 'user' ? (await identity.person(bare(chat))).phone : identifierOf(chat)
}
