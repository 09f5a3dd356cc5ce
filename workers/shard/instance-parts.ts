/**
 * The parts of one instance, constructed in order. If a part needs a later part, it reads a value that the later part
 * sets, or emits an event that the later part handles.
 */
import { SECOND } from '../../src/domain/clock.ts'
import { CREATED, type InstanceConfig, type RuntimeState } from '../../src/domain/instance.ts'
import { createSealer } from '../../src/storage/sealer.ts'
import { createAccountRecords, otherName } from './account-records.ts'
import { PICTURE_HOST } from './chats/pictures.ts'
import type { SocketSession } from './chats/session.ts'
import { createLink } from './connection/link.ts'
import { type NetworkRoute, presentRoute } from './connection/network-route.ts'
import { linkedAt } from './connection/pairing/linked-at.ts'
import { createPairing } from './connection/pairing/pairing.ts'
import { createPasskeyPairing } from './connection/pairing/passkey-pairing.ts'
import { createAccountRestriction } from './connection/restriction/account-restriction.ts'
import type { InstanceContext } from './context/instance-context.ts'
import { createInstanceStore } from './context/instance-store.ts'
import { createSlot } from './context/slot.ts'
import { createDispatch } from './dispatch.ts'
import { createInstanceEvents } from './instance-events.ts'
import { createInstanceWebhooks } from './instance-webhooks.ts'
import { createAuthState } from './keys/auth-state.ts'
import { createKeyStore } from './keys/key-store.ts'
import { createAddressLocks } from './keys/signal/address/address-locks.ts'
import { createLinkEffects } from './lifecycle/link-effects.ts'
import { hasMoved } from './lifecycle/moved.ts'
import { shownState } from './lifecycle/shown.ts'
import { createStatus } from './lifecycle/status.ts'
import { createMessageLedger } from './messages/message-ledger.ts'
import { openSession } from './open-session.ts'
import { handlerOf } from './operations/index.ts'
import { mediaOf } from './operations/send/ahead.ts'
import { createIdempotency } from './queue/idempotency.ts'
import { createSendSafety } from './queue/safety/send-safety.ts'
import { createToldBudgets } from './queue/safety/told-budgets.ts'
import { createAutoRead } from './receipts/auto-read.ts'
import { createMessageStatuses } from './receipts/message-statuses.ts'
import { recordInDirectory } from './receive/effects/directory.ts'
import { createFilesToCopy } from './receive/files-to-copy.ts'
import { createOwnEvents } from './receive/own-events.ts'
import { createPresence } from './receive/presence.ts'
import { createReceivedEvents } from './receive/received-events.ts'
import { createReceiving } from './receive/receiving.ts'
import { createSending } from './send/sending.ts'
import type { ShardDeps } from './shard-deps.ts'
import { createInstanceUsage } from './usage/instance-usage.ts'

/** Time limit of a logout in ms. If it cannot be sent in this time, the instance continues without it. */
export const LOGOUT_DEADLINE = 5 * SECOND

export type InstanceParts = ReturnType<typeof createInstanceParts>

export function createInstanceParts(deps: ShardDeps, initial: InstanceConfig, key: Uint8Array) {
  const ground = layGround(deps, initial, key)
  const account = createAccount(deps, ground)
  const traffic = createTraffic(deps, ground, account)
  return { ...ground, ...account, ...traffic, ...createLinked(deps, ground, account, traffic) }
}

type Ground = ReturnType<typeof layGround>
type Account = ReturnType<typeof createAccount>
type Traffic = ReturnType<typeof createTraffic>

function layGround(deps: ShardDeps, initial: InstanceConfig, key: Uint8Array) {
  const { clock, steady, steps, meter } = deps
  const config = createSlot(initial)
  const log = deps.log.child({ instance: initial.id })
  const usage = createInstanceUsage(deps.tally, clock)
  const working = () => meter.begin(initial.id)
  const context = {
    id: initial.id,
    store: createInstanceStore(deps.store, working),
    sealer: createSealer(key, deps.blinds),
    clock,
    steady,
    log,
    tally: usage.tally,
    steps,
    working,
    config: config.get,
  } satisfies InstanceContext
  const session = createSlot<SocketSession | null>(null)
  const state = createSlot<RuntimeState>(CREATED)
  const shown = shownState(clock, () => session.get()?.isOpen === true)
  return {
    context,
    usage,
    config,
    session,
    route: createSlot<NetworkRoute | null>(null),
    state,
    shownNow: () => shown(state.get()),
    events: createInstanceEvents(),
  }
}

function createAccount(deps: ShardDeps, { context, session, events }: Ground) {
  const { id, store, sealer, clock, steady, log } = context
  const keys = createKeyStore(id, store, sealer, deps.keyCache)
  const identity = () => session.get()?.identity ?? null
  const records = createAccountRecords(context, {
    identity,
    onNewCorrespondent: () => events.emit('newCorrespondent'),
  })
  const { directory } = records
  return {
    keys,
    pairing: createPairing(steady, clock),
    passkeys: createPasskeyPairing({ clock, steady, log }),
    records,
    messages: createMessageLedger(context, { keys, recentTotal: deps.recentTotal }),
    record: recordInDirectory({
      directory,
      clock,
      identity,
      heard: (chat) => void events.emit('heard', chat),
      unarchives: () => session.get()?.sock.authState.creds.accountSettings.unarchiveChats === true,
    }),
  }
}

function createTraffic(deps: ShardDeps, ground: Ground, { keys, records, messages, record }: Account) {
  const { context, config, session, route, state, events } = ground
  const { store, sealer, log, tally } = context
  const { contacts, directory, groups, disappearing, correspondents } = records
  const toCopy = deps.copiesMedia
    ? createFilesToCopy(context.id, () => deps.announce({ type: 'files', instance: context.id }))
    : undefined
  const { outbox, attempts, refusedSince } = createInstanceWebhooks(deps, ground, messages.timeline, toCopy)
  const statuses = createMessageStatuses(context, { outbox, levels: messages.levels })
  const idempotency = createIdempotency({ instanceId: context.id, store, sealer, clock: context.clock, log })
  const presence = createPresence(context, { outbox })
  // The network sends the presence of others only to an available account, so the account becomes available if
  // somebody wants these events.
  events.on('interest', presence.announce)
  const inbound = createReceivedEvents(context, {
    outbox,
    links: deps.mediaLinks,
    toCopy,
    messages,
    contacts,
    directory,
    mediaHost: deps.network.mediaHost,
    roles: groups.roles,
    phone: () => state.get().phone,
  })
  const safety = createSendSafety({
    clock: context.clock,
    steady: context.steady,
    settings: () => config.get().settings,
    directory,
    otherName: (jid) => otherName(session.get()?.identity ?? null, jid),
    hasWritten: correspondents.hasWritten,
    registered: (digits) => session.get()?.numbers.known(digits),
    isMe: (jid) => session.get()?.identity.isMe(jid) === true,
    linkedAt: () => linkedAt(session.get()?.sock.authState.creds),
    told: createToldBudgets(context),
    steps: context.steps,
    isTold: () => outbox.wanted('delivery'),
    onUntold: (error) =>
      log.warn({ err: error }, 'send safety: a used-up budget could not be reported; the next delivery event reports it'),
    onError: (error) => log.warn({ err: error }, 'send safety: a look-up failed; it is repeated, and the message waits'),
  })
  const sending = createSending(context, {
    handlerOf: (operation) => handlerOf('send', operation),
    mediaOf,
    shard: deps,
    blobs: deps.blobs.of(sealer),
    hasWritten: correspondents.hasWritten,
    safety,
    outbox,
    statuses,
    idempotency,
    messages,
    contacts,
    disappearing,
    hasMoved: () => hasMoved(state.get()),
    isPaused: () => state.get().reason === 'paused',
    session: session.get,
    route: route.get,
    announce: (svcId, outcome) => deps.announce({ type: 'outcome', svcId, outcome }),
    own: createOwnEvents({ inbound, presence, record }),
  })
  events.on('newCorrespondent', sending.queue.reachChanged)
  events.on('heard', safety.heard)
  const receiving = createReceiving(context, {
    keys,
    outbox,
    inbound,
    presence,
    roles: groups.roles,
    disappearing,
    contacts,
    correspondents,
    messages,
    record,
    share: deps.openingShare,
    unreported: (reason) => tally.add('svc_messages_unreported_total', { reason }),
    received: () => tally.add('svc_messages_received_total', {}),
    onMessage: createAutoRead({ settings: () => config.get().settings, session: session.get, read: directory.read, log }),
    enqueue: sending.enqueue,
  })
  return { outbox, attempts, refusedSince, statuses, idempotency, presence, safety, sending, receiving, inbound }
}

function createLinked(deps: ShardDeps, ground: Ground, account: Account, traffic: Traffic) {
  const { context, config, session, route, state, shownNow, events } = ground
  const { keys, pairing, passkeys, records, messages } = account
  const { outbox, statuses, presence, safety, sending, receiving } = traffic
  const { id, store, sealer, log, tally } = context
  const { contacts, directory, groups } = records
  const locks = createAddressLocks()
  const auth = createAuthState({ keys, store, sealer, locks })
  const restriction = createAccountRestriction(context, { onChange: sending.queue.setRestricted })

  function announce() {
    sending.queue.setConnected(shownNow().status === 'connected')
    deps.announce({ type: 'state', instance: id, state: shownNow() })
  }

  const link = createLink<SocketSession>({
    session,
    route,
    network: deps.network,
    egressAllow: deps.egressAllow,
    version: deps.version,
    auth,
    share: deps.sessionShare,
    log,
    pairing,
    openSession: (opening) =>
      openSession(
        context,
        {
          shard: deps,
          auth,
          keys,
          locks,
          messages,
          statuses,
          receiving,
          passkeys,
          contacts,
          directory,
          groups,
          onHistory: safety.peopleLearned,
          onEnd: announce,
        },
        opening,
      ),
    onOpened() {
      presence.announce()
      safety.peopleLearned()
    },
    proxyUrl: () => config.get().settings.proxy_url,
    report: (event, isCurrent) => void events.emit('lifecycle', event, isCurrent),
    restriction,
    async forget() {
      await Promise.all([safety.forget(), records.forget(), receiving.forget(), messages.forget()])
    },
  })

  const status = createStatus(context, {
    state,
    random: Math.random,
    outbox,
    network: deps.networkReturn,
    share: deps.sessionShare,
    carryOut: createLinkEffects(context, { link, pairing, state: state.get, logoutDeadlineMs: LOGOUT_DEADLINE }),
    announce,
    onChange(next, previous) {
      if (next.status !== previous)
        tally.add('svc_instance_status_changes_total', { to: next.status, reason: next.reason ?? 'none' })
      // The restriction belonged to the account that is no longer linked, so it ends.
      if (!next.paired) restriction.change(null)
      if (next.reason === 'pairing_failed') passkeys.timedOut()
      if (next.status === 'qr' || previous !== 'qr') return
      pairing.clear()
      // In the status `starting`, the next QR code is requested automatically, so callers continue to wait.
      if (next.status !== 'starting') pairing.giveUp()
    },
  })
  events.on('lifecycle', (event, isCurrent) => {
    status
      .handle(event, isCurrent)
      .catch((error) => log.error({ err: error, event: event.type }, 'a session event could not be handled'))
  })

  const call = createDispatch(context, {
    sending,
    status,
    shown: shownNow,
    pairing,
    passkeys,
    outbox,
    messages,
    inbound: traffic.inbound,
    directory,
    files: { ...deps.media, uploadAgent: () => presentRoute(route.get()).fetchAgent, egressAllow: deps.egressAllow },
    pictureHost: deps.network.mediaHost ?? PICTURE_HOST,
    session: session.get,
    safety,
  })
  return { restriction, announce, link, status, call }
}
