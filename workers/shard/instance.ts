/**
 * One instance: wires its session, status, queue, outbox and inbox together, and is the only thing that knows them all. Each of them has
 * its own file and its own state; here is only what one tells another.
 */
import { generateMessageIDV2, type WAMessage } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, SECOND } from '../../src/domain/clock.ts'
import type { DomainEvent } from '../../src/domain/events.ts'
import { Failure } from '../../src/domain/failures.ts'
import { parseIdentifier } from '../../src/domain/ids.ts'
import type { InstanceConfig, RuntimeState, Status } from '../../src/domain/instance.ts'
import { takeOutMedia } from '../../src/domain/media.ts'
import type { EngineEvent, NetworkOptions, StartHow, StopHow } from '../../src/engine/engine.ts'
import type { Effect, LifecycleEvent } from '../../src/instance/lifecycle.ts'
import type { MediaLinks } from '../../src/media/links.ts'
import { createIdempotency, fingerprintOf } from '../../src/queue/idempotency.ts'
import type { SendOutcome } from '../../src/queue/item.ts'
import { createQueue, type Enqueue, type SendItem } from '../../src/queue/queue.ts'
import type { Blobs } from '../../src/storage/blobs.ts'
import type { StateStore } from '../../src/storage/contract.ts'
import type { Sealer } from '../../src/storage/seal.ts'
import type { Allow } from '../../src/webhooks/addresses.ts'
import type { Deliver } from '../../src/webhooks/delivery.ts'
import { EgressBlocked } from '../../src/webhooks/egress.ts'
import { createOutbox } from '../../src/webhooks/outbox.ts'
import { createAuthState } from './auth-state.ts'
import { runAs } from './baileys/rejections.ts'
import type { WebVersion } from './baileys/version.ts'
import { enqueued } from './enqueue.ts'
import { eraseInstance } from './erase.ts'
import { createKeyStore, type KeyCache } from './key-store.ts'
import { createMessageStatuses, type FirstStatus } from './message-status.ts'
import { operations } from './operations/index.ts'
import type { ControlContext, SendContext, SendFiles } from './operations/types.ts'
import { createOutside, type Outside } from './outside.ts'
import { createOwnStore } from './own-store.ts'
import { createPairing } from './pairing.ts'
import { attachReceipts } from './receipts.ts'
import { createReceiving } from './receiving.ts'
import { createRecent } from './recent.ts'
import { createSavedContacts } from './saved-contacts.ts'
import { createSent } from './sent.ts'
import { openSession, type Session } from './session.ts'
import { createAddressLocks } from './signal/locks.ts'
import { createStatus } from './status.ts'
import { bare, chatKind, identifierOf } from './translate/jid.ts'

export interface HostedInstance {
  start(how: StartHow): Promise<RuntimeState>
  configure(config: InstanceConfig): Promise<void>
  call(operation: string, input: unknown, idempotencyKey?: string): Promise<unknown>
  stop(how: StopHow): Promise<void>
}

/** What all instances of a thread share. */
export interface ShardDeps {
  store: StateStore
  sealer: Sealer
  keyCache: KeyCache
  /** Inline media of waiting items. */
  blobs: Blobs
  media: Pick<SendFiles, 'tempDir' | 'downloadMs' | 'prepare'>
  network: NetworkOptions
  egressAllow: Allow
  newsletterInviteQueryId: string | null
  /** Posts webhooks, a bounded number at a time for the whole thread. */
  deliver: Deliver
  /** The web client version, one for all. */
  version: WebVersion
  /** How long stanzas may come without one being handled, in ms; absent: as `baileys/liveness.ts` has it. */
  deafAfterMs?: number
  /** Seals links to received files. */
  mediaLinks: MediaLinks
  clock: Clock
  log: Logger
  announce(event: EngineEvent): void
  killAt(step: string): void
}

/** Best effort of a logout: shared/api/states.md, row 34. */
const LOGOUT_DEADLINE = 5 * SECOND
/** The item and the webhook in flight get this long at a stop; what is not done then is done again after the next start. */
const STOP_DEADLINE = 3 * SECOND

export function createInstance(deps: ShardDeps, initial: InstanceConfig): HostedInstance {
  const { sealer, clock } = deps
  const store = createOwnStore(deps.store)
  const { id } = initial
  const log = deps.log.child({ instance: id })
  let config = initial
  let session: Session | null = null
  let outside: Outside | null = null

  const keyStore = createKeyStore(id, store, sealer, deps.keyCache)
  const locks = createAddressLocks()
  const auth = createAuthState({ keys: keyStore, store, sealer, locks })
  const pairing = createPairing(clock)
  const recent = createRecent()
  const sent = createSent({ instance: id, store, sealer, clock, log })
  const contacts = createSavedContacts(id, store, sealer)
  const idempotency = createIdempotency({
    instanceId: id,
    store,
    sealer,
    clock,
    onError: (error) => log.error({ err: error }, 'old acknowledgements could not be removed'),
  })

  const outbox = createOutbox({
    instanceId: id,
    store,
    sealer,
    clock,
    webhooks: () => config.webhooks,
    deliver: deps.deliver,
    log,
    onStep: (step) => deps.killAt(`outbox:${step}`),
  })
  const messageStatuses = createMessageStatuses({ instance: id, store, outbox, clock, log, killAt: deps.killAt })

  const status = createStatus({
    instance: id,
    store,
    sealer,
    clock,
    random: Math.random,
    outbox,
    log,
    carryOut,
    announce: (state) => deps.announce({ type: 'state', instance: id, state }),
    onChange(state, previous) {
      queue.setConnected(state.status === 'connected')
      if (state.status === 'qr' || previous !== 'qr') return
      pairing.clear()
      // After a restart the next code is on its way.
      if (state.status !== 'starting') pairing.giveUp()
    },
  })

  const receiving = createReceiving({
    instance: id,
    store,
    sealer,
    keys: keyStore,
    clock,
    log,
    outbox,
    killAt: deps.killAt,
    links: deps.mediaLinks,
    recent,
    sent,
    config: () => config,
    phone: () => status.state.phone,
    onMessage(message) {
      recent.add(message)
      autoRead(message)
    },
    async answerCall(phone, message) {
      const identifier = parseIdentifier(phone)
      if (identifier) await enqueue('instance.callReject', { phone: identifier, message, link_preview: false })
    },
  })

  /** What is told with the end of a queue item, prepared before its commit because it asks for identities. */
  const accompanying = new Map<string, { first: FirstStatus | null; own: DomainEvent | null }>()
  /** To be said after the commit. */
  const appended = new Map<string, () => void>()
  const queue = createQueue({
    instanceId: id,
    store,
    sealer,
    clock,
    random: Math.random,
    log,
    events: outbox,
    blobs: deps.blobs,
    settings: () => config.settings,
    send: (item) => runAs(id, () => send(item)),
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
    onSettled({ svcId, messageId }) {
      appended.get(svcId)?.()
      appended.delete(svcId)
      messageStatuses.release(messageId)
    },
    onStep: (step) => deps.killAt(`queue:${step}`),
  })

  function tell(event: LifecycleEvent, isCurrent?: () => boolean) {
    status
      .tell(event, isCurrent)
      .catch((error) => log.error({ err: error, event: event.type }, 'an event of the session was not taken'))
  }

  async function carryOut(effect: Exclude<Effect, { do: 'timer' }>): Promise<void> {
    switch (effect.do) {
      case 'open':
        return runAs(id, () => open(effect.fresh))
      case 'close':
        pairing.clear()
        return leave((current) => current.end())
      case 'logout':
        return leave((current) => current.logout(LOGOUT_DEADLINE))
      case 'eraseCredentials':
        return eraseDevice()
      case 'refreshVersion':
        await deps.version.refused(deps.version.current())
        return
      default:
        return effect satisfies never
    }
  }

  /** Credentials first; what else was kept for the device says nothing to the next one. */
  async function eraseDevice() {
    await auth.erase()
    await Promise.all([contacts.clear(), receiving.forget()])
  }

  /** It is the current one until it has ended: until then its keys are in use. */
  async function leave(end: (current: Session) => Promise<void>) {
    try {
      if (session) await end(session)
    } finally {
      session = null
    }
  }

  async function open(fresh: boolean) {
    try {
      if (fresh) await eraseDevice()
      const creds = await auth.discardHalfPaired()
      outside ??= createOutside(deps.network, config.settings.proxy_url, deps.egressAllow)
      session = startSession(creds, outside)
    } catch (error) {
      log.error({ err: error }, 'the session could not be started')
      tell({ type: 'startFailed', cause: error instanceof EgressBlocked ? 'proxy' : 'store' })
    }
  }

  function startSession(creds: Parameters<typeof openSession>[0]['creds'], through: Outside): Session {
    const version = deps.version.current()
    /** Events of an older session are dropped: it must be the current one when the event arrives and when its turn comes. */
    const isCurrent = () => opened === session
    const ifCurrent =
      <A extends unknown[]>(handle: (...args: A) => void) =>
      (...args: A) => {
        if (isCurrent()) handle(...args)
      }
    const report = (event: LifecycleEvent) => tell(event, isCurrent)
    const opened: Session = openSession({
      auth,
      creds,
      signal: { keys: keyStore, locks },
      inbox: receiving.session(),
      sent,
      network: deps.network,
      outside: through,
      version,
      deafAfterMs: deps.deafAfterMs,
      clock,
      log,
      events: {
        socketOpened: ifCurrent(() => report({ type: 'socketOpened' })),
        qr: ifCurrent((payload, expiresAt) => {
          pairing.show({ payload, expiresAt })
          report({ type: 'qrShown' })
        }),
        qrReplaced: ifCurrent((payload) => pairing.replace(payload)),
        paired: ifCurrent(() => report({ type: 'paired', phone: phoneOf(creds.me?.id), platform: platformOf(creds.platform) })),
        opened: ifCurrent(() => {
          receiving.announce()
          deps.version.loggedIn(version).catch((error) => log.warn({ err: error }, 'the client version could not be saved'))
          const { me, platform } = creds
          report({ type: 'opened', phone: phoneOf(me?.id), profileName: nameOf(me?.name), platform: platformOf(platform) })
        }),
        closed: ifCurrent(({ isStartFailure, ...closed }) => {
          const cause = through.agent && isProxyRefusal(closed.message) ? 'proxy' : 'handshake'
          report(isStartFailure || cause === 'proxy' ? { type: 'startFailed', cause } : { type: 'closed', ...closed })
        }),
        named: ifCurrent((name) => {
          const profileName = nameOf(name)
          if (profileName !== null) report({ type: 'nameChanged', profileName })
        }),
        passkeyRequested: ifCurrent(() => report({ type: 'passkeyRequested' })),
        contacts: ifCurrent((learnt) => {
          contacts.learn(learnt).catch((error) => log.error({ err: error }, 'saved contacts could not be kept'))
        }),
        restricted: ifCurrent((until) => queue.setRestricted(until)),
      },
    })
    receiving.attach(opened)
    attachReceipts(opened, { statuses: messageStatuses, clock, log })
    return opened
  }

  function filesOf({ copyMedia }: SendItem): SendFiles {
    return {
      ...deps.media,
      async blobTo(path, part) {
        if (!copyMedia) throw new Failure('send_failed', { message: 'The media of the message is gone.' })
        await copyMedia(path, part)
      },
      uploadAgent() {
        if (!outside) throw new Failure('instance_not_connected')
        return outside.fetchAgent
      },
      fetchOptions() {
        if (!outside) throw new Failure('instance_not_connected')
        return outside.fetchOptions
      },
    }
  }

  async function send(item: SendItem): Promise<SendOutcome> {
    const twin = operations.get(item.operation)
    const current = session
    if (twin?.kind !== 'send') return { status: 'failed', code: 'internal', message: `No operation ${item.operation} sends.` }
    if (!current?.isOpen) throw new Failure('instance_not_connected')
    const context: SendContext = {
      session: current,
      recent,
      sent,
      contacts,
      log,
      egressAllow: deps.egressAllow,
      media: filesOf(item),
      newsletterInviteQueryId: deps.newsletterInviteQueryId,
      now: () => clock.now(),
      item: { messageId: item.messageId, operation: item.operation, delayTyping: item.delayTyping },
    }
    messageStatuses.hold(item.messageId)
    try {
      const { message } = await twin.run(context, item.input as never)
      if (message) accompanying.set(item.svcId, await eventsOf(message, current))
      return { status: 'sent' }
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'instance_not_connected') {
        messageStatuses.release(item.messageId)
        throw error
      }
      log.info({ operation: item.operation, code: error.code, err: error.cause }, 'a send failed')
      return { status: 'failed', code: error.code, message: error.message }
    }
  }

  /** What an accepted message is besides its `delivery`: its first status, and the account's own message where that is wanted. */
  async function eventsOf(message: WAMessage, current: Session) {
    const chat = message.key.remoteJid ?? ''
    const first = await messageStatuses.sent(current.identity, chat, message.key.id ?? '', clock.now())
    return { first, own: await receiving.own(message) }
  }

  function autoRead(message: WAMessage) {
    const { auto_read_message, auto_read_status } = config.settings
    const isStatus = message.key.remoteJid === 'status@broadcast'
    // A channel knows no read receipts, only views.
    const isRead = isStatus ? auto_read_status : auto_read_message && chatKind(message.key.remoteJid ?? '') !== 'newsletter'
    if (message.key.fromMe || !isRead) return
    session?.sock.readMessages([message.key]).catch((error) => log.info({ err: error }, 'a message could not be marked read'))
  }

  async function enqueue(operation: string, input: Record<string, unknown>, idempotencyKey?: string) {
    const put = (also?: Enqueue['also']) => {
      const { input: rest, bytes } = takeOutMedia(input)
      return queue.enqueue({
        messageId: generateMessageIDV2(session?.sock.user?.id),
        ...enqueued(operation, rest),
        bytes,
        also,
      })
    }
    const { svcId, messageId } = await (idempotencyKey === undefined
      ? put()
      : idempotency.once(idempotencyKey, fingerprintOf(operation, input), put))
    return { message_id: messageId, svc_id: svcId }
  }

  const control: ControlContext = {
    get config() {
      return config
    },
    get state() {
      return status.state
    },
    get session() {
      return session
    },
    queue,
    pairing,
    request: (what) => (what === 'restartRequested' ? restart() : status.tell({ type: what })),
  }

  let restarting: Promise<RuntimeState> | null = null
  /** At most one at a time: whoever asks meanwhile joins it. */
  function restart(): Promise<RuntimeState> {
    restarting ??= status.tell({ type: 'restartRequested' }).finally(() => {
      restarting = null
    })
    return restarting
  }

  /** Whether a linked device is saved; null, which leaves the stored word standing, when that cannot be read. */
  async function isPaired(): Promise<boolean | null> {
    try {
      return Boolean((await auth.loadCreds())?.account)
    } catch (error) {
      // The session that is opened next fails for the same reason, and that is what ends as `start_failed` (row 5).
      log.error({ err: error }, 'the saved credentials could not be read')
      return null
    }
  }

  /** shared/api/states.md, "What each state answers". */
  function connected(): Session {
    if (status.state.status === 'connected' && session?.isOpen) return session
    throw new Failure(isComingUp(status.state.status) ? 'instance_starting' : 'instance_not_connected')
  }

  async function begin(how: StartHow): Promise<RuntimeState> {
    // One after another: what fails leaves nothing that is still starting.
    await outbox.start()
    await receiving.load()
    await queue.start()
    sent.start()
    messageStatuses.start()
    idempotency.start()
    if (how === 'create') {
      await status.create()
      return status.tell({ type: 'created' })
    }
    const saved = await status.load()
    // A crash can separate the pairing from the state that tells of it; the credentials are what counts.
    const paired = await isPaired()
    if (saved && paired !== null) status.correct({ paired })
    // Without a record its first start never came about: it stays `created` until somebody asks for a QR.
    const state = saved ? await status.tell({ type: 'booted' }) : await status.create().then(() => status.state)
    deps.announce({ type: 'state', instance: id, state })
    return state
  }

  async function stop(how: StopHow) {
    pairing.giveUp()
    // First: the item in flight ends by the network's answer, which needs the session.
    await queue.stop(how === 'erase' ? 0 : STOP_DEADLINE)
    if (how === 'erase') await session?.logout(LOGOUT_DEADLINE)
    await status.stop()
    await session?.end()
    session = null
    await sent.stop()
    idempotency.stop()
    await receiving.stop()
    await messageStatuses.stop()
    await outbox.stop(how === 'erase' ? 0 : STOP_DEADLINE)
    await outside?.close()
    await store.close()
    if (how === 'erase') await eraseInstance(id, deps)
  }

  return {
    async start(how) {
      try {
        return await begin(how)
      } catch (error) {
        // Nobody hosts what did not start: a part left running would go on without an owner, and open a session beside the next one.
        await stop('keep').catch((cause) => log.error({ err: cause }, 'what had started could not be stopped'))
        throw error
      }
    },

    async configure(next) {
      const isNewProxy = next.settings.proxy_url !== config.settings.proxy_url
      config = next
      receiving.announce()
      if (!isNewProxy) return
      const before = outside
      outside = null
      if (isRunning(status.state.status)) await status.tell({ type: 'restartRequested' })
      // Last, because it waits for what is still under way through it.
      await before?.close()
    },

    async call(operation, input, idempotencyKey) {
      const twin = operations.get(operation)
      if (!twin) throw new Failure('not_found')
      switch (twin.kind) {
        case 'send':
          return enqueue(operation, input as Record<string, unknown>, idempotencyKey)
        case 'action':
          return runAs(id, () => twin.run({ session: connected(), recent, state: status.state }, input as never))
        case 'control':
          return runAs(id, () => twin.run(control, input as never))
        default:
          return twin satisfies never
      }
    },

    stop,
  }
}

const isComingUp = (status: Status) => status === 'starting' || status === 'connecting'
const isRunning = (status: Status) => !(['created', 'logged_out', 'banned', 'stopped'] as const).some((each) => each === status)

/**
 * With a proxy the only TCP connection is the one to it, so whatever goes wrong there is its doing; then its own refusals (the answer to
 * CONNECT, or SOCKS). That it finds no way to the network is not among them: such a link is tried again without end.
 */
const isProxyRefusal = (message: string) =>
  /ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|HTTP 40[137] /.test(message) ||
  (/proxy|socks/i.test(message) && !/Unreachable|ConnectionRefused|TTLExpired/.test(message))

const phoneOf = (jid: string | undefined) => (jid === undefined ? null : identifierOf(bare(jid)))

/** `~` is what the library writes while it knows no name. */
const nameOf = (name: string | undefined) => (name && name !== '~' ? name.slice(0, 100) : null)

/** The business apps are reported as the system they run on: shared/api/instance.md. */
const PLATFORMS: Readonly<Record<string, string>> = { smba: 'android', iphone: 'ios', smbi: 'ios' }
const platformOf = (platform: string | undefined) => (platform ? (PLATFORMS[platform] ?? platform).slice(0, 32) : null)
