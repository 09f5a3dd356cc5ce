/**
 * One instance: wires its link, status, queue, outbox and inbox together, and is the only thing that knows them all. Each of them has
 * its own file and its own state; here is only what one tells another.
 */
import { type Call, sendCall } from '../../src/domain/call.ts'
import { SECOND } from '../../src/domain/clock.ts'
import { parseIdentifier } from '../../src/domain/ids.ts'
import type { InstanceConfig, Restriction, RuntimeState, Status } from '../../src/domain/instance.ts'
import type { StartHow, StopHow } from '../../src/engine/engine.ts'
import { createSealer } from '../../src/storage/seal.ts'
import { runAs } from './baileys/thread/rejections.ts'
import { createAuthorship } from './chats/authorship.ts'
import { createCorrespondents } from './chats/correspondents.ts'
import { createDisappearing } from './chats/disappearing.ts'
import { createGroupRoles } from './chats/group-roles.ts'
import { createRecent } from './chats/recent.ts'
import { createSavedContacts } from './chats/saved-contacts.ts'
import { createSecrets } from './chats/secrets.ts'
import type { Session } from './chats/session.ts'
import { createLink } from './connection/link.ts'
import { createPairing } from './connection/pairing/pairing.ts'
import { createDispatch } from './dispatch.ts'
import { eraseInstance } from './erase.ts'
import { createInstanceStore } from './instance-store.ts'
import { createAuthState } from './keys/credentials.ts'
import { createKeyStore } from './keys/key-store.ts'
import { createAddressLocks } from './keys/signal/locks.ts'
import type { Effect, LifecycleEvent } from './lifecycle/contract.ts'
import { createStatus } from './lifecycle/status.ts'
import { openSession } from './open-session.ts'
import { handlerOf } from './operations/index.ts'
import { createIdempotency } from './queue/idempotency.ts'
import { createAutoRead } from './receipts/auto-read.ts'
import { createMessageStatuses } from './receipts/message-status.ts'
import { createReceiving } from './receive/receiving.ts'
import { createSent } from './retry/sent.ts'
import { createSendingLine } from './send/outgoing.ts'
import type { ShardDeps } from './shard-deps.ts'
import { createOutbox } from './webhooks/outbox.ts'

export interface HostedInstance {
  start(how: StartHow): Promise<RuntimeState>
  configure(config: InstanceConfig): Promise<void>
  call(call: Call, idempotencyKey?: string): Promise<unknown>
  stop(how: StopHow): Promise<void>
  reading(): Reading
}

/** What an instance contributes to the metrics beside what is counted. */
export interface Reading {
  waiting: number
  backlog: number
  /** When its last stanza came in, epoch ms; null: it is not connected. */
  heardAt: number | null
}

/** Best effort of a logout: shared/api/states.md, row 34. */
const LOGOUT_DEADLINE = 5 * SECOND
/** The item and the webhook in flight get this long at a stop; what is not done then is done again after the next start. */
const STOP_DEADLINE = 3 * SECOND

/** `key`: seals everything of it at rest. */
export function createInstance(deps: ShardDeps, initial: InstanceConfig, key: Uint8Array): HostedInstance {
  const { clock, steady, tally } = deps
  const sealer = createSealer(key, deps.blinds)
  const store = createInstanceStore(deps.store)
  const { id } = initial
  const log = deps.log.child({ instance: id })
  let config = initial

  const keyStore = createKeyStore(id, store, sealer, deps.keyCache)
  const pairing = createPairing(steady, clock)
  const recent = createRecent()
  const authorship = createAuthorship({ instance: id, store, sealer, clock, log })
  const roles = createGroupRoles({ instance: id, store, sealer, clock, log })
  const secrets = createSecrets({ instance: id, store, sealer, clock, log })
  const sent = createSent({
    instance: id,
    store,
    sealer,
    clock,
    log,
    secrets,
    authorship,
    keys: keyStore,
    undecided: () => line.queue.undecided(),
  })
  const contacts = createSavedContacts(id, store, sealer)
  const disappearing = createDisappearing({ instance: id, store, sealer, log })
  const correspondents = createCorrespondents({
    instance: id,
    store,
    sealer,
    async otherName(jid) {
      const identity = link.session()?.identity
      return (await (jid.endsWith('@lid') ? identity?.pnOf(jid) : identity?.lidOf(jid))) ?? null
    },
    onNew: () => line.queue.reachChanged(),
  })
  let restricted: Restriction | null = null
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
    steady,
    webhooks: () => config.webhooks,
    deliver: deps.deliver,
    log,
    onStep: (step) => deps.killAt(`outbox:${step}`),
    onAppend: (type) => tally.add('svc_events_total', { type }),
    onResult(type, result, durationMs) {
      // An event whose webhook was switched off meanwhile is not tried at all.
      if (result === 'discarded') return
      tally.add('svc_webhook_deliveries_total', { type, result })
      tally.observe('svc_webhook_duration_seconds', { type }, (durationMs ?? 0) / SECOND)
    },
  })
  const messageStatuses = createMessageStatuses({
    instance: id,
    store,
    sealer,
    outbox,
    clock,
    log,
    undecided: () => line.queue.undecided(),
    killAt: deps.killAt,
  })

  const autoRead = createAutoRead({ settings: () => config.settings, session: () => link.session(), log })

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
      if (state.status !== previous)
        tally.add('svc_instance_status_changes_total', { to: state.status, reason: state.reason ?? 'none' })
      // Of another account, should there be one.
      if (!state.paired) restrict(null)
      line.queue.setConnected(state.status === 'connected')
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
    killAt: deps.killAt,
    links: deps.mediaLinks,
    recent,
    sent,
    secrets,
    authorship,
    roles,
    contacts,
    correspondents,
    disappearing,
    mediaHost: deps.network.mediaHost,
    config: () => config,
    phone: () => status.state.phone,
    onMessage(message) {
      recent.add(message)
      autoRead(message)
    },
    async answerCall(phone, message, key) {
      const identifier = parseIdentifier(phone)
      if (!identifier) return
      const input = { phone: identifier, message, link_preview: false }
      await line.enqueue(sendCall('instance.callReject', input, { to: identifier }), key)
    },
  })

  const locks = createAddressLocks()
  const auth = createAuthState({ keys: keyStore, store, sealer, locks })
  const link = createLink<Session>({
    network: deps.network,
    egressAllow: deps.egressAllow,
    version: deps.version,
    auth,
    log,
    pairing,
    openSession: (opening) =>
      openSession(
        { shard: deps, auth, keys: keyStore, locks, sent, statuses: messageStatuses, authorship, receiving, clock, steady, log },
        opening,
      ),
    onOpened: receiving.announce,
    proxyUrl: () => config.settings.proxy_url,
    report: tell,
    restriction: () => restricted,
    restricted: restrict,
    forget() {
      recent.clear()
      return Promise.all([
        contacts.clear(),
        receiving.forget(),
        sent.forget(),
        secrets.forget(),
        authorship.forget(),
        roles.forget(),
        disappearing.forget(),
        correspondents.forget(),
      ])
    },
  })

  const line = createSendingLine({
    handlerOf: (operation) => handlerOf('send', operation),
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
    recent,
    sent,
    contacts,
    disappearing,
    settings: () => config.settings,
    session: link.session,
    outside: link.outside,
    own: receiving.own,
  })

  const call = createDispatch({
    instance: id,
    log,
    line,
    status,
    pairing,
    recent,
    config: () => config,
    session: link.session,
  })

  /** At once: the next item may be about to leave. That the state says so comes after. */
  function restrict(restriction: Restriction | null) {
    if (JSON.stringify(restriction) === JSON.stringify(restricted)) return
    if (restriction && !restricted) {
      tally.add('svc_restrictions_total', { kind: restriction.kind })
      log.warn({ ...restriction }, 'the network restricts the account: it may not write to people who never wrote to it')
    } else if (!restriction) log.info('the network restricts the account no more')
    restricted = restriction
    line.queue.setRestricted(restriction)
  }

  function tell(event: LifecycleEvent, isCurrent?: () => boolean) {
    status
      .tell(event, isCurrent)
      .catch((error) => log.error({ err: error, event: event.type }, 'an event of the session was not taken'))
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
    // One after another: what fails leaves nothing that is still starting.
    await outbox.start()
    await Promise.all([receiving.load(), secrets.load(), authorship.load()])
    await line.queue.start()
    sent.start()
    secrets.start()
    authorship.start()
    messageStatuses.start()
    idempotency.start()
    if (how === 'create') {
      await status.create()
      tally.add('svc_instance_status_changes_total', { to: status.state.status, reason: 'none' })
      return status.tell({ type: 'created' })
    }
    const saved = await status.load()
    // A crash can separate the pairing from the state that tells of it; the credentials are what counts.
    const paired = await link.isPaired()
    if (saved && paired !== null) status.correct({ paired })
    restrict(status.state.restriction)
    // Without a record its first start never came about: it stays `created` until somebody asks for a QR.
    const state = saved ? await status.tell({ type: 'booted' }) : await status.create().then(() => status.state)
    deps.announce({ type: 'state', instance: id, state })
    return state
  }

  async function stop(how: StopHow) {
    pairing.giveUp()
    // First: the item in flight ends by the network's answer, which needs the session.
    await line.queue.stop(how === 'erase' ? 0 : STOP_DEADLINE)
    if (how === 'erase') await link.session()?.logout(LOGOUT_DEADLINE)
    await status.stop()
    await link.leave((current) => current.end())
    await sent.stop()
    idempotency.stop()
    await receiving.stop()
    await secrets.stop()
    await authorship.stop()
    await messageStatuses.stop()
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
      await link.reroute(async () => {
        if (isRunning(status.state.status) || endedAtStart(status.state)) await status.tell({ type: 'restartRequested' })
      })
    },

    call,
    stop,
    reading() {
      const session = link.session()
      const heardAt = session?.isOpen ? session.lastInboundAt() : null
      return {
        waiting: line.queue.waiting(),
        backlog: outbox.backlog(),
        heardAt: heardAt === null ? null : clock.now() - (steady.now() - heardAt),
      }
    },
  }
}

/** What a proxy can have done to it: with another one, or none, it is started again. */
const endedAtStart = ({ status, reason }: RuntimeState) =>
  status === 'stopped' && (reason === 'proxy_error' || reason === 'start_failed')

const isRunning = (status: Status) => !(['created', 'logged_out', 'banned', 'stopped'] as const).some((each) => each === status)
