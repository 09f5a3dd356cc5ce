/**
 * Sends through the queue: a request becomes an item, the handler of its operation sends the item when it is due, and the first status and own
 * message of an accepted send are written in the commit that ends the item, together with its `delivery`.
 */
import { generateMessageIDV2, type WAMessage } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { CallOrigin, SendCall } from '../../../src/domain/call.ts'
import type { Clock } from '../../../src/domain/clock.ts'
import type { DiskState } from '../../../src/domain/disk.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { InstanceSettings } from '../../../src/domain/instance.ts'
import { inlineMedia, takeOutMedia } from '../../../src/domain/media.ts'
import type { SendEnd, SendOutcome } from '../../../src/domain/send-outcome.ts'
import type { Steps } from '../../../src/domain/steps.ts'
import { diskNearlyFull, isStorageFailure } from '../../../src/domain/storage-failure.ts'
import type { Ranges } from '../../../src/egress/addresses.ts'
import type { ReceivedEvent } from '../../../src/features/webhook-payloads.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import { giveBack } from '../../../src/lib/give-back.ts'
import type { Tally } from '../../../src/metrics/tally.ts'
import type { Blobs } from '../../../src/storage/blobs.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'
import type { Disappearing } from '../chats/disappearing.ts'
import type { Session } from '../chats/session.ts'
import { sendFailure } from '../connection/failures.ts'
import { type NetworkRoute, presentRoute } from '../connection/network-route.ts'
import { QUERY_DEADLINE } from '../connection/within.ts'
import { type Enqueue, type Queue, type SendItem, TryLater } from '../queue/contract.ts'
import { fingerprintOf, type Idempotency } from '../queue/idempotency.ts'
import { createQueue } from '../queue/queue.ts'
import type { FirstStatus, MessageStatuses } from '../receipts/message-statuses.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { bare, chatKind, identifierOf } from '../wire/jid.ts'
import { createAhead, type PrepareMedia } from './ahead.ts'
import type { Accepted, Audience, Once, SendContext, SendFiles } from './contract.ts'
import type { Destination } from './destination.ts'
import { type OutgoingMessage, sendMessage } from './relay.ts'
import { sendAgain } from './send-again.ts'

/** Number of items whose last start is remembered: one is in flight, the others were in flight and are put back. */
const MAX_TURNS = 1_000

/** Number of status posts whose audience is remembered for their deletion; an older post is deleted for the current audience. */
const MAX_AUDIENCES = 50

export interface SendingDeps extends Pick<SendContext, 'messages' | 'sent' | 'contacts'> {
  disappearing: Pick<Disappearing, 'of' | 'ops'>
  instance: string
  /** Parts of the thread that all its instances share. */
  shard: {
    disk(): DiskState
    media: Pick<SendFiles, 'tempDir' | 'downloadMs' | 'prepare'>
    egressAllow: Ranges
    steps: Steps
    tally: Tally
  }
  store: StateStore
  sealer: Sealer
  /** Inline media of the instance's waiting items. */
  blobs: Blobs
  clock: Clock
  steady: Clock
  /** Whether the person has ever written to this account. */
  hasWritten(phone: string): Promise<boolean>
  log: Logger
  outbox: Outbox
  statuses: MessageStatuses
  idempotency: Idempotency
  settings(): InstanceSettings
  /** Undefined for an id without a declaration of a send. */
  handlerOf(operation: string): ((context: SendContext, input: never) => Promise<Accepted>) | undefined
  /** The function that prepares the media of an operation before its message is composed. */
  mediaOf(operation: string): PrepareMedia | undefined
  /** The current session, and its network route; null while there is none. */
  session(): Session | null
  route(): NetworkRoute | null
  /** Called after the commit that ended an item, because a request may still wait for the outcome. */
  announce(svcId: string, outcome: SendEnd): void
  /** The event of a message that this service sent; null if no event is wanted. */
  own(message: WAMessage): Promise<ReceivedEvent | null>
}

export interface Sending {
  readonly queue: Queue
  /** Durable when it resolves with the acknowledgement. */
  enqueue(call: SendCall, origin?: CallOrigin): Promise<{ message_id: string; svc_id: string }>
  /** Time in epoch ms at which an item began to be sent; kept until its end is written. */
  leftAt(svcId: string): number | undefined
  /** Sends without the queue, for a setting of a chat that is not a message. Resolves with the sent message when the network has accepted it. */
  direct(session: Session, operation: string, to: Destination, outgoing: OutgoingMessage): Promise<WAMessage>
}

export function createSending(deps: SendingDeps): Sending {
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
    messages,
    sent,
    contacts,
    disappearing,
  } = deps
  const turns = boundedCache<string, number>(MAX_TURNS)
  const audiences = boundedCache<string, Audience>(MAX_AUDIENCES)
  /**
   * Records that are committed with the end of an item, by service id. They are prepared before the commit, because they need look-ups of identities.
   */
  const accompanying = new Map<string, { first: FirstStatus | null; own: ReceivedEvent | null }>()
  /** Callbacks that run after that commit. */
  const appended = new Map<string, () => void>()

  const ahead = createAhead({
    mediaOf: deps.mediaOf,
    session: deps.session,
    contextOf: (session, item, once) => contextOf(session, filesOf(item, once), item),
    prepared: (svcId) => shard.steps('queue:ahead', svcId),
  })

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
    send,
    ahead,
    isOpen: () => deps.session()?.isOpen === true,
    onDelivery({ svcId, requestId }) {
      const entry = accompanying.get(svcId)
      if (!entry) return () => []
      accompanying.delete(svcId)
      let own: ReturnType<Outbox['append']> | null | undefined
      appended.set(svcId, () => {
        entry.first?.applied()
        if (own) outbox.committed(own.eventId)
      })
      return () => {
        const firstOps = entry.first?.ops() ?? []
        own ??= entry.own && outbox.append(entry.own, requestId)
        return [...firstOps, ...(own?.ops ?? [])]
      }
    },
    onSettled({ svcId, messageId, operation }, outcome) {
      if (outcome.status === 'sent') shard.tally.add('svc_queue_sent_total', { type: operation })
      else shard.tally.add('svc_queue_failed_total', { type: operation, error_code: outcome.code })
      appended.get(svcId)?.()
      appended.delete(svcId)
      statuses.release(messageId)
      deps.announce(svcId, outcome)
    },
    onRemoved({ svcId }) {
      accompanying.delete(svcId)
      deps.announce(svcId, { status: 'removed' })
    },
    steps: shard.steps,
  })

  const route = () => presentRoute(deps.route())

  const filesOf = ({ copyMedia }: Pick<SendItem, 'copyMedia'>, once: Once): SendFiles => ({
    ...shard.media,
    once,
    async blobTo(path, part, through) {
      if (!copyMedia) throw new Failure('send_failed', { message: 'The media of the message is no longer stored.' })
      await copyMedia(path, part, through)
    },
    uploadAgent: () => route().fetchAgent,
    files: () => route().files,
    fetchOptions: () => route().fetchOptions,
  })

  const contextOf = (session: Session, media: SendFiles, item: SendContext['item']): SendContext => ({
    session,
    ask: session.asking({ deadline: { eachMs: QUERY_DEADLINE }, toFailure: sendFailure }),
    messages,
    sent,
    contacts,
    disappearing,
    audiences,
    log,
    egressAllow: shard.egressAllow,
    media,
    now: () => clock.now(),
    item,
  })

  async function send(item: SendItem): Promise<SendOutcome> {
    const { messageId, operation, delayTyping } = item
    const handler = deps.handlerOf(operation)
    const session = deps.session()
    if (!handler) return { status: 'failed', code: 'internal', message: `There is no send operation ${operation}.` }
    if (!session?.isOpen) throw new Failure('instance_not_connected')
    const once = ahead.take(item.svcId, session)
    const context = contextOf(session, filesOf(item, once), { messageId, operation, delayTyping })
    statuses.hold(messageId)
    turns.set(item.svcId, clock.now())
    try {
      const { message } = (item.again && (await sendAgain(context))) || (await handler(context, item.input as never))
      if (!message) return { status: 'sent' }
      accompanying.set(item.svcId, await eventsOf(message, session, item))
      return { status: 'sent', phone: await phoneOf(message, session) }
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
      log.info({ operation, code: error.code, err: error.cause, request_id: item.requestId }, 'a message could not be sent')
      return { status: 'failed', code: error.code, message: error.message }
    }
  }

  async function phoneOf({ key }: WAMessage, { identity }: Session): Promise<string> {
    const chat = key.remoteJid ?? ''
    return chatKind(chat) === 'user' ? (await identity.person(bare(chat))).phone : identifierOf(chat)
  }

  async function eventsOf(message: WAMessage, { identity }: Session, { requestId, again }: SendItem) {
    const { remoteJid, id } = message.key
    const acked = { chat: remoteJid ?? '', id: id ?? '', at: clock.now(), requestId, isNew: !again }
    const first = await statuses.sent(identity, acked)
    return { first, own: await deps.own(message) }
  }

  return {
    queue,
    leftAt: (svcId) => turns.get(svcId),
    async direct(session, operation, to, outgoing) {
      const messageId = generateMessageIDV2(session.me?.id)
      const context = contextOf(
        session,
        filesOf({}, (_, make) => make()),
        { messageId, operation, delayTyping: 0 },
      )
      const { message } = await sendMessage(context, to, outgoing)
      const ops = await disappearing.ops(message!)
      if (ops.length > 0) await store.commit({ ops })
      return message!
    },
    async enqueue({ operation, input, to, about, preview, delayMessage, delayTyping }, origin = {}) {
      const { idempotencyKey, requestId } = origin
      const files = inlineMedia(input).map(({ bytes }) => bytes)
      const put = async (also?: Enqueue['also']) => {
        if (shard.disk() !== 'ok') throw diskNearlyFull()
        const { input: rest, bytes } = takeOutMedia(input as Record<string, unknown>)
        // The files were copied into one buffer.
        if (files.length > 1) giveBack(files)
        const queued = queue.enqueue({
          messageId: generateMessageIDV2(deps.session()?.me?.id),
          operation,
          phone: to,
          input: rest,
          preview,
          delayMessage,
          delayTyping,
          referenceMessageId: about,
          requestId,
          bytes,
          also,
        })
        // The queue has written them to disk, or has failed.
        return bytes === undefined ? queued : queued.finally(() => giveBack([bytes]))
      }
      try {
        const { svcId, messageId } = await (idempotencyKey === undefined
          ? put()
          : idempotency.once(idempotencyKey, fingerprintOf(operation, input as Record<string, unknown>), put))
        return { message_id: messageId, svc_id: svcId }
      } finally {
        // A request that is refused, or that repeats an earlier one, has not queued them.
        giveBack(files)
      }
    },
  }
}
