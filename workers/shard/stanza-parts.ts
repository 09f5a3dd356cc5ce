/** The functions that the table of stanzas calls, assembled for one session. */
import { type AuthenticationCreds, type BinaryNode, decodeMediaRetryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, iso, MINUTE, SECOND } from '../../src/domain/clock.ts'
import type { Steps } from '../../src/domain/steps.ts'
import type { Tally } from '../../src/metrics/tally.ts'
import type { AppState } from './app-state/app-state.ts'
import type { AppStateReader } from './app-state/app-state-reader.ts'
import { createServerSync } from './app-state/server-sync.ts'
import { leaveOutUnaddressable } from './baileys/device-list.ts'
import { loginSucceeded } from './baileys/thread/login-counts.ts'
import type { Authorship } from './chats/authorship.ts'
import type { SocketSession } from './chats/session.ts'
import type { OwnParts } from './connection/contract.ts'
import { finishRegistration } from './connection/pairing/companion-registration.ts'
import type { AccountDirectory } from './directory/account-directory.ts'
import type { GroupDirectory } from './directory/group-directory.ts'
import type { GroupStore } from './directory/group-store.ts'
import { keepFacts, ownFacts } from './keys/own-facts.ts'
import type { MessageStatuses } from './receipts/message-statuses.ts'
import { takeReceipt } from './receipts/receipts.ts'
import { accountSynced } from './receive/effects/account-sync.ts'
import { createDevices } from './receive/effects/devices.ts'
import { handleDirty } from './receive/effects/dirty.ts'
import { identityChanged } from './receive/effects/identity-change.ts'
import { createLidPairs } from './receive/effects/lid-pairs.ts'
import { createLidRefresh } from './receive/effects/lid-refresh.ts'
import { handleMex } from './receive/effects/mex.ts'
import { createPrivacyTokens } from './receive/effects/privacy-tokens.ts'
import type { InboxSession } from './receive/inbox/inbox-session.ts'
import { createMessageAnswer } from './receive/message-answer.ts'
import type { Receiving } from './receive/receiving.ts'
import { createAskAgain } from './retry/ask-again.ts'
import { createResend } from './retry/resend.ts'
import { answerRetryReceipt } from './retry/retry-receipts.ts'
import type { Sent } from './retry/sent.ts'
import type { StanzaParts } from './stanza-table.ts'
import { ownReadIn } from './translate/inbound/receipt.ts'
import { expirationIn, keysLeftIn, ownLidIn } from './wire/account-notices.ts'
import { secondsOf } from './wire/bounds.ts'
import { chatChangesIn, groupExpiryIn, isNewGroup } from './wire/chat-changes.ts'
import { chatLine } from './wire/chat-line.ts'
import { isPrimaryHello } from './wire/companion-registration.ts'
import { ackOf, resultOf } from './wire/confirmation.ts'
import { envelopeOf, fromOf, networkTimeOf } from './wire/envelope.ts'
import { bare } from './wire/jid.ts'
import { kindOf } from './wire/kind.ts'
import { refsIn } from './wire/pair-device.ts'

export interface PartDeps {
  session: SocketSession
  own: OwnParts
  creds: AuthenticationCreds
  appState: Pick<AppState, 'settled' | 'save'>
  reader: Pick<AppStateReader, 'read' | 'version'>
  inbox: InboxSession
  directory: Pick<AccountDirectory, 'ready' | 'group' | 'read'>
  receiving: Receiving
  /** Processes the earlier peer messages, once per socket. */
  replayPeers(): void
  statuses: MessageStatuses
  authorship: Pick<Authorship, 'isOwn'>
  sent: Sent
  groupDirectory: Pick<GroupDirectory, 'ready' | 'noticed'>
  groupStore: Pick<GroupStore, 'settled'>
  clock: Clock
  /** Clock for waits; it does not step. */
  steady: Clock
  log: Logger
  tally: Tally
  steps: Steps
}

/** Number of the account's one-time keys at the network below which new ones are uploaded. */
const FEW_PRE_KEYS = 5
/** Time in ms from entering a pairing code on the phone until the account is linked; its owner may have to confirm there. */
const ENTERED_CODE_LIFE = 2 * MINUTE

export function stanzaParts(deps: PartDeps): StanzaParts {
  const { session, own, creds, receiving, inbox, directory, statuses, clock, steady, log, steps } = deps
  const { sock, identity, groups } = session

  const notices = receiving.notices(session)
  const pairs = createLidPairs(sock)
  const devices = createDevices({ sock, identity, lists: session.devices, groups })
  const tokens = createPrivacyTokens({ sock, identity, clock, log })
  const identityNotice = identityChanged({ sock, identity, forgetDevices: devices.forget, tokens })
  const account = accountSynced({ sock, devicesChanged: devices.changed, log })
  const mex = handleMex({
    restricted: own.restriction.lockChanged,
    storePairs: session.learnPairs,
    pnOf: (lid) => identity.pnOf(lid),
    forgetDevices: devices.forget,
    log,
  })
  const refreshLid = createLidRefresh({
    ask: session.ask,
    identity,
    storePairs: session.learnPairs,
    forgetDevices: devices.forget,
    clock: steady,
    log,
  })
  const serverSync = createServerSync({
    sock,
    read: deps.reader.read,
    versionOf: deps.reader.version,
    settled: deps.appState.settled,
    isWorthAnother: receiving.isWorthAnother,
    again: own.take,
    log,
  })
  const askAgain = createAskAgain({ sock, clock: steady, log, isMissing: receiving.isMissing, ended: session.ended })
  const confirmMessage = createMessageAnswer({
    sock,
    receiver: () => ({ isOwn: identity.isMe, isAvailable: own.isAvailable() }),
    askAgain,
    inbox,
    log,
    steps,
  })
  const answerRetry = answerRetryReceipt({
    resend: createResend({ sock, identity, tokens: session.tokens, sent: deps.sent, clock: steady, log }),
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

  function versionExpires(node: BinaryNode) {
    const seconds = expirationIn(node)
    const expires_at = seconds === null ? null : iso(seconds * SECOND)
    log.warn({ expires_at }, 'the network announced that it will stop accepting this client version')
  }

  /** Wraps work so that its failure is only logged, because a redelivery of the notice would change nothing. */
  const attempt = (sentence: string, work: (node: BinaryNode) => unknown) => async (node: BinaryNode) => {
    try {
      await work(node)
    } catch (error) {
      log.warn({ err: error, type: envelopeOf(node).type }, sentence)
    }
  }

  async function uploadPreKeys(node: BinaryNode) {
    if (keysLeftIn(node) < FEW_PRE_KEYS) await sock.uploadPreKeys()
  }

  /** Records messages that were read on the phone or another device of the account. */
  async function readElsewhere({ chat, ids }: { chat: string; ids: readonly string[] }) {
    await directory.ready()
    directory.read(ids.map((id) => ({ remoteJid: chat, id })))
  }

  /** Updates the list of chats by a notice about a group. */
  async function learnGroupNotice(node: BinaryNode, name: string | undefined) {
    const { from, t } = envelopeOf(node)
    await directory.ready()
    directory.group(from, {
      name,
      ephemeralSeconds: groupExpiryIn(node) ?? undefined,
      joinedAt: isNewGroup(node) ? secondsOf(t, clock.now()) : undefined,
    })
  }

  /** Learns the current name of the account from messages of our other devices. */
  function ownName(node: BinaryNode) {
    const { from, participant, pushName } = envelopeOf(node)
    const { me } = creds
    if (!me || !pushName || me.name === pushName || !identity.isMe(participant || from)) return
    sock.ev.emit('creds.update', { me: { ...me, name: pushName } })
  }

  /** Handles that a phone has accepted a pairing code, whichever was entered there. */
  async function finishPairing(node: BinaryNode) {
    if (!isPrimaryHello(node)) return
    own.qrClock.keep(ENTERED_CODE_LIFE)
    try {
      await finishRegistration(sock, node)
    } finally {
      // The phone has created its own secret: after a mistyped code, the next scan is verified with this one.
      own.qrClock.secretChanged()
    }
  }

  const again = attempt(
    'data that the network reported as changed could not be read',
    handleDirty({ sock, readGroups: session.participating.read }),
  )

  return {
    chatOf: (node) => chatLine(node, identity.isMe),
    ack: (node) => sock.sendNode(ackOf(node)),
    confirmMessage,

    takeMessage: inbox.take,
    appendPost: notices.post,
    appendNotice: notices.notification,
    answerRetry,
    takeReceipt(node) {
      const read = creds.me && ownReadIn(node, creds.me)
      return read ? readElsewhere(read) : receipt(node)
    },
    takeCall: (node) => receiving.calls.take(node, session),
    followAppState: serverSync.follow,
    storeToken: tokens.came,

    learnPairs: pairs,
    learnOwnName: ownName,
    // The pair is learned before anything arrives; otherwise the phone's first messages would begin under the number
    // and continue under the LID.
    learnOwnPair(node) {
      const lid = ownLidIn(node)
      return creds.me && lid ? session.learnPairs([{ pn: bare(creds.me.id), lid: bare(lid) }]) : undefined
    },
    countLogin(node) {
      own.loggedIn(networkTimeOf(node))
      if (!creds.me) return
      loginSucceeded(creds.me.id)
      keepFacts(creds, { logins: (ownFacts(creds).logins ?? 0) + 1 })
      deps.appState.save()
    },
    async changeChats(node) {
      const changes = chatChangesIn(node)
      if (envelopeOf(node).type === 'w:gp2') await learnGroupNotice(node, changes[0]?.name ?? undefined)
      for (const change of changes) await receiving.chatChanged(change)
    },
    forgetGroup(node) {
      groups.forget(fromOf(node))
      return deps.groupStore.settled()
    },
    async followGroups(node) {
      await deps.groupDirectory.ready()
      await deps.groupDirectory.noticed(node, identity.isMe)
    },
    // Nothing waits for this query.
    readAgain: (node) => void again(node),
    dropDevices: devices.changed,
    uploadPreKeys: attempt('one-time keys could not be uploaded', uploadPreKeys),
    changeIdentity: identityNotice,
    syncAccount: account,
    limitAccount: mex,
    mediaAnswered: attempt("the phone's answer to a file request is malformed", (node) =>
      own.mediaAnswered(decodeMediaRetryNode(node)),
    ),
    showCodes: (node) => own.qrClock.offered(refsIn(node)),
    finishPairing: attempt('pairing by code could not be completed', finishPairing),
    // A passkey ceremony shows no code, and has replaced the secret by one that is sent to the phone at the end.
    refreshQrSecret: () => (own.passkey.isUnderWay ? undefined : own.companion.refresh()),
    passkeyAsked: own.passkey.asked,
    passkeyContinued: own.passkey.continued,
    leave: (node) => deps.tally.add('svc_stanzas_left_total', kindOf(node)),
    versionExpires,
    result: (node) => sock.sendNode(resultOf(node)),

    acked: own.acks.came,
    renewToken: tokens.refused,
    refreshLid,
    compareDevices: devices.acked,
    presence: (node) => receiving.presence.onStanza(session, node),
    replayPeers: () => deps.replayPeers(),
    caughtUp: () => receiving.presence.caughtUp(session),
    loginAnswered: () => own.watchdog.answered(),
    queryRefused: own.queryRefused,
    leaveOutUnaddressable: (node) =>
      leaveOutUnaddressable(node, (jid, ids) => log.debug({ jid, devices: ids }, 'devices without a valid address are skipped')),
  }
}
