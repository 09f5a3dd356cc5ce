/**
 * One instance: connects its link, status, queue, outbox and inbox, and is the only file that knows them all. Each of them has its own file and
 * state; this file only has the calls between them.
 */
import { type Call, type CallOrigin, sendCall } from '../../src/domain/call.ts'
import { SECOND } from '../../src/domain/clock.ts'
import { parseIdentifier } from '../../src/domain/ids.ts'
import type { InstanceConfig, Restriction, RuntimeState, Status } from '../../src/domain/instance.ts'
import type { AttemptResults, InstanceReading } from '../../src/domain/readings.ts'
import type { StartHow, StopHow } from '../../src/engine/engine.ts'
import { createSealer } from '../../src/storage/sealer.ts'
import { createAccountRecords } from './account-records.ts'
import { runAs } from './baileys/thread/rejections.ts'
import { PICTURE_HOST } from './chats/pictures.ts'
import type { SocketSession } from './chats/session.ts'
import { createLink } from './connection/link.ts'
import { presentRoute } from './connection/network-route.ts'
import { createPairing } from './connection/pairing/pairing.ts'
import { createPasskeyPairing } from './connection/pairing/passkey-pairing.ts'
import type { InstanceContext } from './context/instance-context.ts'
import { createInstanceStore } from './context/instance-store.ts'
import { createDispatch } from './dispatch.ts'
import { eraseInstance } from './erase.ts'
import { createAuthState } from './keys/auth-state.ts'
import { createKeyStore } from './keys/key-store.ts'
import { createAddressLocks } from './keys/signal/address/address-locks.ts'
import type { Effect, LifecycleEvent } from './lifecycle/contract.ts'
import { hasMoved } from './lifecycle/moved.ts'
import { shownState } from './lifecycle/shown.ts'
import { createStatus } from './lifecycle/status.ts'
import { openSession } from './open-session.ts'
import { handlerOf } from './operations/index.ts'
import { mediaOf } from './operations/send/ahead.ts'
import { createIdempotency } from './queue/idempotency.ts'
import { createAutoRead } from './receipts/auto-read.ts'
import { createMessageStatuses } from './receipts/message-statuses.ts'
import { createMessageTimeline } from './receipts/message-timeline.ts'
import { recordInDirectory } from './receive/effects/directory.ts'
import { createReceiving } from './receive/receiving.ts'
import { createKnownMessages } from './retry/known-messages.ts'
import { createSent } from './retry/sent.ts'
import { createSending } from './send/sending.ts'
import type { ShardDeps } from './shard-deps.ts'
import { createOutbox } from './webhooks/outbox.ts'

export interface HostedInstance {
  start(how: StartHow): Promise<RuntimeState>
  configure(config: InstanceConfig): Promise<void>
  call(call: Call, origin?: CallOrigin): Promise<unknown>
  stop(how: StopHow): Promise<void>
  reading(): Reading
  /** How far issued ids or times are ahead of the clock in ms; 0 if they are not. */
  aheadMs(): number
}

/** Readings of an instance for the metrics, in addition to the counters. */
export type Reading = Omit<InstanceReading, 'instance'>

/** Time limit of a logout, which is best effort. */
const LOGOUT_DEADLINE = 5 * SECOND
/** Deadline of a stop for the item and the webhook in flight; unfinished ones are repeated after the next start. */
const STOP_DEADLINE = 3 * SECOND

/** `key` seals all data of the instance at rest. */
export function createInstance(deps: ShardDeps, initial: InstanceConfig, key: Uint8Array): HostedInstance {
  const { clock, steady, tally } = deps
  const sealer = createSealer(key, deps.blinds)
  const store = createInstanceStore(deps.store)
  const { id } = initial
  const log = deps.log.child({ instance: id })
  let config = initial
  const context = {
    id,
    store,
    sealer,
    clock,
    steady,
    log,
    tally,
    steps: deps.steps,
    config: () => config,
  } satisfies InstanceContext

  const keyStore = createKeyStore(id, store, sealer, deps.keyCache)
  const pairing = createPairing(steady, clock)
  const passkeys = createPasskeyPairing({ clock, steady, log })
  const records = createAccountRecords(context, {
    recentTotal: deps.recentTotal,
    identity: () => link.session()?.identity ?? null,
    onNewCorrespondent: () => sending.queue.reachChanged(),
  })
  const { recent, authorship, secrets, contacts, directory, groupDirectory, groupStore, disappearing, correspondents } = records
  const sent = createSent(context, {
    secrets,
    authorship,
    keys: keyStore,
    undecided: () => sending.queue.undecided(),
  })
  const messages = createKnownMessages({ recent, sent })
  const record = recordInDirectory({
    directory,
    clock,
    identity: () => link.session()?.identity ?? null,
    unarchives: () => link.session()?.sock.authState.creds.accountSettings.unarchiveChats === true,
  })
  let restricted: Restriction | null = null
  const idempotency = createIdempotency({ instanceId: id, store, sealer, clock, log })

  const attempts: AttemptResults = { delivered: 0, retry: 0, failed: 0, discarded: 0 }
  const outbox = createOutbox({
    instanceId: id,
    store,
    sealer,
    clock,
    steady,
    webhooks: () => config.webhooks,
    dialect: () => config.settings.dialect,
    previousSecret: () => config.previousSecret,
    deliver: deps.deliver,
    log,
    steps: deps.steps,
    note: (event, eventId) => timeline.ops(event, eventId),
    maxWaiting: deps.outboxMax,
    onAppend: (type) => tally.add('svc_events_total', { type }),
    onOverflow: (type) => tally.add('svc_webhook_overflow_total', { type }),
    onEvents: () => deps.announce({ type: 'events', instance: id }),
    // The network sends presence only to an available account, and a reader of these events is a reason to be available.
    onInterest: () => receiving.announce(),
    onResult(type, result, durationMs) {
      attempts[result]++
      // An event whose webhook was switched off in the meantime is not attempted at all.
      if (result === 'discarded') return
      tally.add('svc_webhook_deliveries_total', { type, result })
      tally.observe('svc_webhook_duration_seconds', { type }, (durationMs ?? 0) / SECOND)
    },
  })
  const timeline = createMessageTimeline(context)
  const messageStatuses = createMessageStatuses(context, { outbox })

  const autoRead = createAutoRead({ settings: () => config.settings, session: () => link.session(), read: directory.read, log })

  const status = createStatus(context, {
    random: Math.random,
    outbox,
    carryOut,
    announce,
    onChange(state, previous) {
      if (state.status !== previous)
        tally.add('svc_instance_status_changes_total', { to: state.status, reason: state.reason ?? 'none' })
      // The restriction belongs to the previous account.
      if (!state.paired) restrict(null)
      if (state.reason === 'pairing_failed') passkeys.timedOut()
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
    steady,
    log,
    outbox,
    steps: deps.steps,
    share: deps.openingShare,
    links: deps.mediaLinks,
    ...records,
    sent,
    messages,
    record,
    mediaHost: deps.network.mediaHost,
    config: () => config,
    phone: () => status.state.phone,
    remember: recent.add,
    unreported: (reason) => tally.add('svc_messages_unreported_total', { reason }),
    onMessage: autoRead,
    async answerCall(phone, message, key) {
      const identifier = parseIdentifier(phone)
      if (!identifier) return
      const input = { phone: identifier, message, link_preview: false }
      await sending.enqueue(sendCall('instance.callReject', input, { to: identifier }), { idempotencyKey: key })
    },
  })

  const locks = createAddressLocks()
  const auth = createAuthState({ keys: keyStore, store, sealer, locks })
  const link = createLink<SocketSession>({
    network: deps.network,
    egressAllow: deps.egressAllow,
    version: deps.version,
    auth,
    log,
    pairing,
    openSession: (opening) =>
      openSession(
        context,
        {
          shard: deps,
          auth,
          keys: keyStore,
          locks,
          sent,
          statuses: messageStatuses,
          authorship,
          receiving,
          passkeys,
          contacts,
          directory,
          groupDirectory,
          groupStore,
          onEnd: () => announce(status.state),
        },
        opening,
      ),
    onOpened: receiving.announce,
    proxyUrl: () => config.settings.proxy_url,
    report: reportEvent,
    restriction: () => restricted,
    restricted: restrict,
    async forget() {
      await Promise.all([records.forget(), receiving.forget(), sent.forget()])
    },
  })

  const sending = createSending({
    handlerOf: (operation) => handlerOf('send', operation),
    mediaOf,
    instance: id,
    shard: deps,
    store,
    sealer,
    blobs: deps.blobs.of(sealer),
    clock,
    steady,
    hasWritten: correspondents.hasWritten,
    log,
    outbox,
    statuses: messageStatuses,
    idempotency,
    messages,
    sent,
    contacts,
    disappearing,
    settings: () => config.settings,
    hasMoved: () => hasMoved(status.state),
    session: link.session,
    route: link.route,
    announce: (svcId, outcome) => deps.announce({ type: 'outcome', svcId, outcome }),
    own: receiving.own,
  })

  const call = createDispatch(context, {
    sending,
    status,
    shown: () => shown(status.state),
    pairing,
    passkeys,
    outbox,
    timeline,
    messages,
    directory,
    groupDirectory,
    files: { ...deps.media, uploadAgent: () => presentRoute(link.route()).fetchAgent, egressAllow: deps.egressAllow },
    pictureHost: deps.network.mediaHost ?? PICTURE_HOST,
    session: link.session,
  })

  const shown = shownState(clock, () => link.session()?.isOpen === true)

  /** The queue opens and closes with the state that callers see. */
  function announce(state: RuntimeState) {
    sending.queue.setConnected(shown(status.state).status === 'connected')
    deps.announce({ type: 'state', instance: id, state: shown(state) })
  }

  /** Applied immediately, because the next item may be about to leave. The state follows later. */
  function restrict(restriction: Restriction | null) {
    if (JSON.stringify(restriction) === JSON.stringify(restricted)) return
    if (restriction && !restricted) {
      tally.add('svc_restrictions_total', { kind: restriction.kind })
      log.warn({ ...restriction }, 'the network restricts the account: it cannot message people who never wrote to it')
    } else if (!restriction) log.info('the network lifted the restriction of the account')
    restricted = restriction
    sending.queue.setRestricted(restriction)
  }

  function reportEvent(event: LifecycleEvent, isCurrent?: () => boolean) {
    status
      .handle(event, isCurrent)
      .catch((error) => log.error({ err: error, event: event.type }, 'a session event could not be handled'))
  }

  async function carryOut(effect: Exclude<Effect, { do: 'timer' }>): Promise<void> {
    switch (effect.do) {
      case 'open':
        if (status.state.paired) tally.add('svc_engine_reconnects_total', { reason: status.state.reason ?? 'none' })
        return runAs(id, () => link.open(effect.fresh))
      case 'close':
        pairing.clear()
        return link.leave((current) => current.end())
      case 'logout':
        return link.leave((current) => current.logout(LOGOUT_DEADLINE))
      case 'eraseCredentials':
        return link.erase()
      case 'refreshVersion':
        return link.refreshVersion()
      default:
        return effect satisfies never
    }
  }

  async function begin(how: StartHow): Promise<RuntimeState> {
    // Started one after another, so that after a failure no part is still starting.
    await outbox.start()
    await Promise.all([receiving.load(), records.load()])
    await sending.queue.start()
    sent.start()
    records.start()
    messageStatuses.start()
    timeline.start()
    idempotency.start()
    if (how === 'create') {
      await status.create()
      tally.add('svc_instance_status_changes_total', { to: status.state.status, reason: 'none' })
      return status.handle({ type: 'created' })
    }
    const saved = await status.load()
    // A crash can happen between the pairing and the state that records it, so the credentials decide.
    const paired = await link.isPaired()
    if (saved && paired !== null) status.correct({ paired })
    // An imported device: it was written completely, and no shard has hosted it yet.
    const isImported = !saved && paired === true
    if (isImported) status.correct({ paired, status: 'disconnected', reason: 'connection_lost', importedAt: deps.clock.now() })
    restrict(status.state.restriction)
    // Without a record and a device, its first start never completed: it stays `created` until a QR code is requested.
    const state = saved || isImported ? await status.handle({ type: 'booted' }) : await status.create().then(() => status.state)
    announce(state)
    return state
  }

  async function stop(how: StopHow) {
    pairing.giveUp()
    // Stopped first, because the item in flight ends by the network's answer, which needs the session.
    await sending.queue.stop(how === 'erase' ? 0 : STOP_DEADLINE)
    if (how === 'erase') await link.session()?.logout(LOGOUT_DEADLINE)
    await status.stop()
    await link.leave((current) => current.end())
    await sent.stop()
    await idempotency.stop()
    await receiving.stop()
    await messageStatuses.stop()
    await timeline.stop()
    await records.stop()
    await outbox.stop(how === 'erase' ? 0 : STOP_DEADLINE)
    await link.close()
    await store.close()
    if (how === 'erase') await eraseInstance(id, deps)
  }

  return {
    async start(how) {
      try {
        return await begin(how)
      } catch (error) {
        // Nobody hosts an instance that failed to start. A part that keeps running would have no owner and could open a session beside the next one.
        await stop('keep').catch((cause) => log.error({ err: cause }, 'an instance that failed to start could not be stopped'))
        throw error
      }
    },

    async configure(next) {
      const isNewProxy = next.settings.proxy_url !== config.settings.proxy_url
      config = next
      outbox.configured()
      receiving.announce()
      if (!isNewProxy) return
      await link.reroute(async () => {
        if (isRunning(status.state.status) || endedAtStart(status.state)) await status.handle({ type: 'restartRequested' })
      })
    },

    call,
    stop,
    aheadMs: () => Math.max(outbox.ahead(), sending.queue.idsAhead()),
    reading() {
      const session = link.session()
      const lastInboundAt = session?.isOpen ? session.lastInboundAt() : null
      return {
        waiting: sending.queue.waiting(),
        backlog: outbox.backlog(),
        lastInboundAt: lastInboundAt === null ? null : clock.now() - (steady.now() - lastInboundAt),
        attempts: { ...attempts },
      }
    },
  }
}

/** Errors at the start that a proxy can cause; with another proxy, or none, the instance is started again. */
const endedAtStart = ({ status, reason }: RuntimeState) =>
  status === 'stopped' && (reason === 'proxy_error' || reason === 'start_failed')

const isRunning = (status: Status) => !(['created', 'logged_out', 'banned', 'stopped'] as const).some((each) => each === status)
