/**
 * All sends of one instance. Most go through the queue; a message that sets a setting of a chat is sent immediately.
 */
import { generateMessageIDV2, type WAMessage } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { CallOrigin, SendCall } from '../../../src/domain/call.ts'
import type { DiskState } from '../../../src/domain/disk.ts'
import { inlineMedia, takeOutMedia } from '../../../src/domain/media.ts'
import type { SendEnd } from '../../../src/domain/send-outcome.ts'
import { diskNearlyFull } from '../../../src/domain/storage-failure.ts'
import { giveBack } from '../../../src/lib/give-back.ts'
import type { Blobs } from '../../../src/storage/blobs.ts'
import type { Disappearing } from '../chats/disappearing.ts'
import type { Session } from '../chats/session.ts'
import type { Context } from '../context/instance-context.ts'
import { messageIdOf } from '../messages/message-id.ts'
import type { Enqueue, Queue } from '../queue/contract.ts'
import { fingerprintOf, type Idempotency } from '../queue/idempotency.ts'
import { createQueue } from '../queue/queue.ts'
import type { SendSafety } from '../queue/safety/send-safety.ts'
import type { MessageStatuses } from '../receipts/message-statuses.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { createAhead, type PrepareMedia } from './ahead.ts'
import { type ContextsDeps, createContexts } from './contexts.ts'
import type { Destination } from './destination.ts'
import { createSender, type SenderDeps } from './queued/sender.ts'
import { type OutgoingMessage, sendMessage } from './relay.ts'

export interface SendingDeps extends ContextsDeps, Pick<SenderDeps, 'handlerOf' | 'session' | 'own'> {
  disappearing: Pick<Disappearing, 'of' | 'ops'>
  shard: ContextsDeps['shard'] & { disk(): DiskState }
  blobs: Blobs
  hasWritten(phone: string): Promise<boolean>
  safety: Pick<SendSafety, 'policies' | 'leaving' | 'withUsedUp'>
  outbox: Outbox
  statuses: MessageStatuses
  idempotency: Idempotency
  hasMoved(): boolean
  isPaused(): boolean
  mediaOf(operation: string): PrepareMedia | undefined
  /**
   * Reports the outcome of an item to HTTP requests that wait for it. Called after the commit that ended or removed the
   * item.
   */
  announce(svcId: string, end: SendEnd): void
}

export interface Sending {
  readonly queue: Queue
  enqueue(call: SendCall, origin?: CallOrigin): Promise<{ message_id: string; svc_id: string }>
  /** Sends a message that sets a setting of a chat, without the queue. Resolves when the network has accepted it. */
  direct(session: Session, operation: string, to: Destination, outgoing: OutgoingMessage): Promise<WAMessage>
}

type SendingContext = Context<'id' | 'store' | 'sealer' | 'clock' | 'steady' | 'tally' | 'steps' | 'config'> & { log: Logger }

export function createSending(context: SendingContext, deps: SendingDeps): Sending {
  const { store, steps } = context
  const { disappearing } = deps
  const contexts = createContexts(context, deps)
  const ahead = createAhead({
    mediaOf: deps.mediaOf,
    session: deps.session,
    contextOf: contexts.of,
    prepared: (svcId) => steps('queue:ahead', svcId),
  })
  const sender = createSender(context, { ...deps, contexts, ahead })
  const queue: Queue = createQueue({
    instanceId: context.id,
    store,
    sealer: context.sealer,
    clock: context.clock,
    steady: context.steady,
    hasWritten: deps.hasWritten,
    policies: deps.safety.policies,
    mayHaveLeft: async (messageId) => (await deps.messages.sent.stored(messageId)) !== undefined,
    random: Math.random,
    log: context.log,
    tally: context.tally,
    events: deps.outbox,
    blobs: deps.blobs,
    settings: () => context.config().settings,
    hasMoved: deps.hasMoved,
    isPaused: deps.isPaused,
    send: async (item) => deps.safety.withUsedUp(await sender(item), queue),
    ahead,
    isOpen: () => deps.session()?.isOpen === true,
    announce: deps.announce,
    steps,
  })

  return {
    queue,
    enqueue: createEnqueuing(context, deps, queue),
    async direct(session, operation, to, outgoing) {
      const item = { messageId: generateMessageIDV2(session.me?.id), operation, delayTyping: 0 }
      const { message } = await sendMessage(
        contexts.of(session, item, (_, make) => make()),
        to,
        outgoing,
      )
      const ops = await disappearing.ops(message!)
      if (ops.length > 0) await store.commit({ ops })
      return message!
    },
  }
}

function createEnqueuing(
  { sealer }: Pick<SendingContext, 'sealer'>,
  { shard, idempotency }: SendingDeps,
  queue: Queue,
): Sending['enqueue'] {
  return async ({ operation, input, to, about, preview, delayMessage, sendAt, delayTyping }, origin = {}) => {
    const { idempotencyKey, requestId } = origin
    const files = inlineMedia(input).map(({ bytes }) => bytes)
    const put = async (also?: Enqueue['also']) => {
      if (shard.disk() !== 'ok') throw diskNearlyFull()
      const { input: rest, bytes } = takeOutMedia(input as Record<string, unknown>)
      // The files were copied into one buffer, so their own buffers can be freed.
      if (files.length > 1) giveBack(files)
      const queued = queue.enqueue({
        messageId: (svcId) => messageIdOf(sealer, svcId),
        operation,
        phone: to,
        input: rest,
        preview,
        delayMessage,
        sendAt,
        delayTyping,
        referenceMessageId: about,
        requestId,
        bytes,
        also,
      })
      // The bytes are on disk or the queue has failed, so the buffer can be freed.
      return bytes === undefined ? queued : queued.finally(() => giveBack([bytes]))
    }
    try {
      const { svcId, messageId } = await (idempotencyKey === undefined
        ? put()
        : idempotency.once(idempotencyKey, fingerprintOf(operation, input as Record<string, unknown>), put))
      return { message_id: messageId, svc_id: svcId }
    } finally {
      // If the request was refused or repeats an earlier one, its buffers are freed here.
      giveBack(files)
    }
  }
}
