/** What the table of stanzas calls, put together for one session. */
import { type AuthenticationCreds, type BinaryNode, decodeMediaRetryNode, getBinaryNodeChild } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Clock } from '../../src/domain/clock.ts'
import type { AppState } from './app-state/app-state.ts'
import type { FirstSync } from './app-state/first-sync.ts'
import { createServerSync } from './app-state/server-sync.ts'
import { leaveOutUnaddressable } from './baileys/device-list.ts'
import type { Authorship } from './chats/authorship.ts'
import type { Session } from './chats/session.ts'
import { learnPairs } from './connection/identity.ts'
import { finishRegistration } from './connection/pairing/companion-registration.ts'
import type { OwnParts } from './connection/session.ts'
import type { MessageStatuses } from './receipts/message-status.ts'
import { takeReceipt } from './receipts/receipts.ts'
import { accountSynced } from './receive/effects/account-sync.ts'
import { createDevices } from './receive/effects/devices.ts'
import { identityChanged } from './receive/effects/identity-change.ts'
import { createLidPairs } from './receive/effects/lid-pairs.ts'
import { mexTold } from './receive/effects/mex.ts'
import { createPrivacyTokens } from './receive/effects/privacy-tokens.ts'
import type { InboxSession } from './receive/inbox/inbox-session.ts'
import { createMessageAnswer } from './receive/message-answer.ts'
import type { Receiving } from './receive/receiving.ts'
import { createAskAgain } from './retry/ask-again.ts'
import { createResend } from './retry/resend.ts'
import { answerRetryReceipt } from './retry/retry-receipts.ts'
import type { Sent } from './retry/sent.ts'
import type { StanzaParts } from './stanza-table.ts'
import { chatChangesIn } from './wire/chat-changes.ts'
import { chatLine } from './wire/chat-line.ts'
import { ackOf } from './wire/confirmation.ts'
import { bare } from './wire/jid.ts'

export interface PartDeps {
  session: Session
  own: OwnParts
  creds: AuthenticationCreds
  appState: Pick<AppState, 'settled'>
  /** The version a collection of app state was read to, undefined for none. */
  versionOf(collection: string): Promise<number | undefined>
  firstSync: Pick<FirstSync, 'answered'>
  inbox: InboxSession
  receiving: Receiving
  /** Takes the peer messages of before, once per socket. */
  replayPeers(): void
  statuses: MessageStatuses
  authorship: Pick<Authorship, 'isOwn'>
  sent: Sent
  clock: Clock
  /** For what waits: it does not step. */
  steady: Clock
  log: Logger
  killAt(step: string): void
}

/** Fewer one-time keys of ours than that at the network are too few. */
const FEW_PRE_KEYS = 5
/** Kinds that are named in the log, once each. */
const MAX_UNKNOWN = 50

export function stanzaParts(deps: PartDeps): StanzaParts {
  const { session, own, creds, receiving, inbox, statuses, clock, steady, log, killAt } = deps
  const { sock, identity, groups } = session

  const notices = receiving.notices(session)
  const pairs = createLidPairs(sock)
  const devices = createDevices({ sock, identity, lists: session.devices, groups })
  const tokens = createPrivacyTokens({ sock, identity, clock, log })
  const identityNotice = identityChanged({ sock, identity, forgetDevices: devices.forget, tokens })
  const account = accountSynced({ sock, devicesChanged: devices.changed, log })
  const mex = mexTold({
    restricted: own.restriction.told,
    storePairs: (found) => sock.signalRepository.lidMapping.storeLIDPNMappings(found),
    log,
  })
  const serverSync = createServerSync({
    sock,
    versionOf: deps.versionOf,
    settled: deps.appState.settled,
    isWorthAnother: receiving.isWorthAnother,
    again: own.take,
    log,
  })
  const askAgain = createAskAgain({ sock, clock: steady, log, isMissing: receiving.isMissing, ended: session.ended })
  const confirmMessage = createMessageAnswer({
    sock,
    receiver: () => ({ meId: creds.me?.id, isOwn: identity.isMe, isAvailable: own.isAvailable() }),
    askAgain,
    inbox,
    log,
    killAt,
  })
  const answerRetry = answerRetryReceipt({
    resend: createResend({ sock, identity, sent: deps.sent, clock: steady, log }),
    settled: statuses.settled,
    log,
  })
  const receipt = takeReceipt({
    statuses,
    authorship: deps.authorship,
    identity,
    me: () => creds.me,
    before: own.before,
    clock,
  })

  const unknown = new Set<string>()
  function nameUnknown({ attrs: { type = '' } }: BinaryNode) {
    if (unknown.has(type) || unknown.size >= MAX_UNKNOWN) return
    unknown.add(type)
    log.info({ type: type.slice(0, 64) }, 'a kind of notification is confirmed, and nothing is done about it')
  }

  /** A failure says nothing about the notice: there is nothing it could be followed by when it came again. */
  const attempt = (sentence: string, work: (node: BinaryNode) => unknown) => async (node: BinaryNode) => {
    try {
      await work(node)
    } catch (error) {
      log.warn({ err: error, type: node.attrs.type }, sentence)
    }
  }

  async function uploadPreKeys(node: BinaryNode) {
    const count = Number(getBinaryNodeChild(node, 'count')?.attrs.value ?? Number.NaN)
    if (count < FEW_PRE_KEYS) await sock.uploadPreKeys()
  }

  /** Of what our other devices write: the name the account goes by now. */
  function ownName({ attrs: { from = '', participant, notify } }: BinaryNode) {
    const { me } = creds
    if (!me || !notify || me.name === notify || !identity.isMe(participant ?? from)) return
    sock.ev.emit('creds.update', { me: { ...me, name: notify } })
  }

  return {
    chatOf: (node) => chatLine(node, identity.isMe),
    ack: (node) => sock.sendNode(ackOf(node)),
    confirmMessage,

    takeMessage: inbox.take,
    tellPost: notices.post,
    tellNotice: notices.notification,
    answerRetry,
    takeReceipt: receipt,
    takeCall: (node) => receiving.calls.take(node, session),
    followAppState: serverSync.follow,
    storeToken: tokens.came,

    learnPairs: pairs,
    learnOwnName: ownName,
    // Before anything comes: the phone's first messages would begin under the number, and go on under the LID.
    learnOwnPair: ({ attrs: { lid } }) =>
      creds.me && lid ? learnPairs(sock, sock.authState.keys, [{ pn: bare(creds.me.id), lid: bare(lid) }]) : undefined,
    async changeChats(node) {
      for (const change of chatChangesIn(node)) await receiving.chatChanged(change)
    },
    forgetGroup: ({ attrs }) => groups.forget(attrs.from ?? ''),
    dropDevices: devices.changed,
    uploadPreKeys: attempt('one-time keys could not be uploaded', uploadPreKeys),
    changeIdentity: identityNotice,
    syncAccount: account,
    limitAccount: mex,
    mediaAnswered: attempt('an answer about a file is none', (node) =>
      sock.ev.emit('messages.media-update', [decodeMediaRetryNode(node)]),
    ),
    finishPairing: attempt('a pairing by code could not be finished', (node) => finishRegistration(sock, node)),
    refreshQrSecret: () => own.companion.refresh(),
    passkeyAsked: () => own.passkeyRequested(),
    nameUnknown,

    acked: own.acks.came,
    renewToken: tokens.refused,
    compareDevices: devices.acked,
    presence: (node) => receiving.presence.onStanza(session, node),
    replayPeers: () => deps.replayPeers(),
    firstReading: deps.firstSync.answered,
    loginAnswered: () => own.watchdog.answered(),
    queryRefused: own.queryRefused,
    leaveOutUnaddressable: (node) =>
      leaveOutUnaddressable(node, (jid, ids) =>
        log.debug({ jid, devices: ids }, 'devices that cannot be addressed are left out'),
      ),
  }
}
