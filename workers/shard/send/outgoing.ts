/**
 * What leaves through the queue: a request becomes an item, an item whose turn has come is sent by its operation's handler, and what an
 * accepted message is besides its `delivery` (its first status, the account's own message) goes into the commit that ends the item.
 */
import { generateMessageIDV2, type WAMessage } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { SendCall } from '../../../src/domain/call.ts'
import type { Clock } from '../../../src/domain/clock.ts'
import type { DiskState } from '../../../src/domain/disk.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { InstanceSettings } from '../../../src/domain/instance.ts'
import { takeOutMedia } from '../../../src/domain/media.ts'
import { diskNearlyFull, isStorageFailure } from '../../../src/domain/storage-failure.ts'
import type { Ranges } from '../../../src/egress/addresses.ts'
import type { ReceivedEvent } from '../../../src/features/webhook-payloads.ts'
import type { Tally } from '../../../src/metrics/tally.ts'
import type { Blobs } from '../../../src/storage/blobs.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import { runAs } from '../baileys/thread/rejections.ts'
import type { Session } from '../chats/session.ts'
import type { Outside } from '../connection/network-route.ts'
import { type Enqueue, type Queue, type SendItem, TryLater } from '../queue/contract.ts'
import { fingerprintOf, type Idempotency } from '../queue/idempotency.ts'
import type { SendOutcome } from '../queue/item.ts'
import { createQueue } from '../queue/queue.ts'
import type { FirstStatus, MessageStatuses } from '../receipts/message-status.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import type { Accepted, SendContext, SendFiles } from './contract.ts'
import { sendAgain } from './send-again.ts'

export interface SendingLineDeps extends Pick<SendContext, 'recent' | 'sent' | 'contacts' | 'disappearing'> {
  instance: string
  /** Of the thread, for all its instances. */
  shard: {
    disk(): DiskState
    media: Pick<SendFiles, 'tempDir' | 'downloadMs' | 'prepare'>
    egressAllow: Ranges
    newsletterInviteQueryId: string | null
    killAt(step: string): void
    tally: Tally
  }
  store: StateStore
  sealer: Sealer
  /** Inline media of its waiting items. */
  blobs: Blobs
  clock: Clock
  steady: Clock
  /** Whether somebody ever wrote to this account. */
  hasWritten(phone: string): Promise<boolean>
  log: Logger
  outbox: Outbox
  statuses: MessageStatuses
  idempotency: Idempotency
  settings(): InstanceSettings
  /** Undefined for an id that no declaration of a send has. */
  handlerOf(operation: string): ((context: SendContext, input: never) => Promise<Accepted>) | undefined
  /** The current session, and its way out; null while there is none. */
  session(): Session | null
  outside(): Outside | null
  /** The event of a message this service sent; null: nobody wants it. */
  own(message: WAMessage): Promise<ReceivedEvent | null>
}

export interface SendingLine {
  readonly queue: Queue
  /** Durable when it resolves with the acknowledgement. */
  enqueue(call: SendCall, idempotencyKey?: string): Promise<{ message_id: string; svc_id: string }>
}

export function createSendingLine(deps: SendingLineDeps): SendingLine {
  const {
    instance,
    shard,
    store,
    sealer,
    clock,
    steady,
    log,
    outbox,
    statuses,
    idempotency,
    recent,
    sent,
    contacts,
    disappearing,
  } = deps
  /** What is told with the end of an item, by service id; prepared before the commit because it asks for identities. */
  const accompanying = new Map<string, { first: FirstStatus | null; own: ReceivedEvent | null }>()
  /** To be said after that commit. */
  const appended = new Map<string, () => void>()

  const queue = createQueue({
    instanceId: instance,
    store,
    sealer,
    clock,
    steady,
    hasWritten: deps.hasWritten,
    random: Math.random,
    log,
    events: outbox,
    blobs: deps.blobs,
    settings: deps.settings,
    send: (item) => runAs(instance, () => send(item)),
    isOpen: () => deps.session()?.isOpen === true,
    onDelivery({ svcId }) {
      const told = accompanying.get(svcId)
      if (!told) return []
      accompanying.delete(svcId)
      const firstOps = told.first?.ops() ?? []
      const own = told.own && outbox.append(told.own)
      appended.set(svcId, () => {
        told.first?.applied()
        if (own) outbox.committed(own.eventId)
      })
      return [...firstOps, ...(own?.ops ?? [])]
    },
    onSettled({ svcId, messageId, operation }, outcome) {
      if (outcome.status === 'sent') shard.tally.add('svc_queue_sent_total', { type: operation })
      else shard.tally.add('svc_queue_failed_total', { type: operation, error_code: outcome.code })
      appended.get(svcId)?.()
      appended.delete(svcId)
      statuses.release(messageId)
    },
    onStep: (step) => shard.killAt(`queue:${step}`),
  })

  function way(): Outside {
    const outside = deps.outside()
    if (!outside) throw new Failure('instance_not_connected')
    return outside
  }

  const filesOf = ({ copyMedia }: SendItem): SendFiles => ({
    ...shard.media,
    async blobTo(path, part) {
      if (!copyMedia) throw new Failure('send_failed', { message: 'The media of the message is gone.' })
      await copyMedia(path, part)
    },
    uploadAgent: () => way().fetchAgent,
    fetchOptions: () => way().fetchOptions,
  })

  async function send(item: SendItem): Promise<SendOutcome> {
    const { messageId, operation, delayTyping } = item
    const handler = deps.handlerOf(operation)
    const session = deps.session()
    if (!handler) return { status: 'failed', code: 'internal', message: `No operation ${operation} sends.` }
    if (!session?.isOpen) throw new Failure('instance_not_connected')
    const context: SendContext = {
      session,
      recent,
      sent,
      contacts,
      disappearing,
      log,
      egressAllow: shard.egressAllow,
      media: filesOf(item),
      newsletterInviteQueryId: shard.newsletterInviteQueryId,
      now: () => clock.now(),
      item: { messageId, operation, delayTyping },
    }
    statuses.hold(messageId)
    try {
      const { message } = (item.again && (await sendAgain(context))) || (await handler(context, item.input as never))
      if (message) accompanying.set(item.svcId, await eventsOf(message, session))
      return { status: 'sent' }
    } catch (error) {
      if (
        !(error instanceof Failure) ||
        error instanceof TryLater ||
        error.code === 'instance_not_connected' ||
        isStorageFailure(error)
      ) {
        statuses.release(messageId)
        throw error
      }
      log.info({ operation, code: error.code, err: error.cause }, 'a send failed')
      return { status: 'failed', code: error.code, message: error.message }
    }
  }

  async function eventsOf(message: WAMessage, { identity }: Session) {
    const { remoteJid, id } = message.key
    const first = await statuses.sent(identity, remoteJid ?? '', id ?? '', clock.now())
    return { first, own: await deps.own(message) }
  }

  return {
    queue,
    async enqueue({ operation, input, to, about, preview, delayMessage, delayTyping }, idempotencyKey) {
      const put = (also?: Enqueue['also']) => {
        if (shard.disk() !== 'ok') throw diskNearlyFull()
        const { input: rest, bytes } = takeOutMedia(input as Record<string, unknown>)
        return queue.enqueue({
          messageId: generateMessageIDV2(deps.session()?.sock.user?.id),
          operation,
          phone: to,
          input: rest,
          preview,
          delayMessage,
          delayTyping,
          referenceMessageId: about,
          bytes,
          also,
        })
      }
      const { svcId, messageId } = await (idempotencyKey === undefined
        ? put()
        : idempotency.once(idempotencyKey, fingerprintOf(operation, input as Record<string, unknown>), put))
      return { message_id: messageId, svc_id: svcId }
    },
  }
}
