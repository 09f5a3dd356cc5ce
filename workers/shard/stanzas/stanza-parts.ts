import { decodeMediaRetryNode } from '@whiskeysockets/baileys'
import type { Steps } from '../../../src/domain/steps.ts'
import type { Tally } from '../../../src/metrics/tally.ts'
import type { AppState } from '../app-state/app-state.ts'
import type { AppStateReader } from '../app-state/app-state-reader.ts'
import { createServerSync } from '../app-state/server-sync.ts'
import type { OwnParts } from '../connection/contract.ts'
import type { KeyHolders } from '../keys/key-holders.ts'
import type { MessageLedger } from '../messages/message-ledger.ts'
import type { MessageStatuses } from '../receipts/message-statuses.ts'
import { takeReceipt } from '../receipts/receipts.ts'
import type { InboxSession } from '../receive/inbox/inbox-session.ts'
import { createMessageAnswer } from '../receive/message-answer.ts'
import type { Receiving } from '../receive/receiving.ts'
import { createAskAgain } from '../retry/ask-again.ts'
import { createResend } from '../retry/resend.ts'
import { answerRetryReceipt } from '../retry/retry-receipts.ts'
import { chatLine } from '../wire/chat-line.ts'
import { ackOf, resultOf } from '../wire/confirmation.ts'
import { kindOf } from '../wire/kind.ts'
import { type AccountStanzaDeps, accountStanzas } from './account-stanzas.ts'
import { type ChatStanzaDeps, chatStanzas } from './chat-stanzas.ts'
import { type DeviceStanzaDeps, deviceStanzas } from './device-stanzas.ts'
import { loggedEffect } from './logged-effect.ts'
import { pairingStanzas } from './pairing-stanzas.ts'
import type { StanzaParts } from './stanza-table.ts'

export interface PartDeps extends AccountStanzaDeps, ChatStanzaDeps, DeviceStanzaDeps {
  own: OwnParts
  appState: Pick<AppState, 'settled' | 'save'>
  reader: Pick<AppStateReader, 'read' | 'version'>
  inbox: InboxSession
  receiving: Receiving
  /**
   * Processes again the messages of the account's own phone whose effects were interrupted. Only the first call per
   * socket has an effect.
   */
  replayPeers(): void
  statuses: MessageStatuses
  messages: Pick<MessageLedger, 'isOwn' | 'sent'>
  holders: KeyHolders
  tally: Tally
  steps: Steps
}

export function stanzaParts(deps: PartDeps): StanzaParts {
  const { session, own, creds, receiving, inbox, statuses, clock, steady, log, steps } = deps
  const { sock, identity } = session

  const notices = receiving.notices(session)
  const serverSync = createServerSync({
    sock,
    read: deps.reader.read,
    versionOf: deps.reader.version,
    settled: deps.appState.settled,
    isWorthAnother: receiving.isWorthAnother,
    again: own.take,
    log,
  })
  const askAgain = createAskAgain({
    sock,
    askPhone: session.askPhone,
    saved: deps.appState.settled,
    clock: steady,
    log,
    isMissing: receiving.isMissing,
    ended: session.ended,
  })
  const confirmMessage = createMessageAnswer({
    sock,
    receiver: () => ({ isOwn: identity.isMe, isAvailable: own.isAvailable() }),
    askAgain,
    inbox,
    log,
    steps,
  })
  const answerRetry = answerRetryReceipt({
    resend: createResend({
      sock,
      serverProps: session.serverProps,
      identity,
      tokens: session.tokens,
      holders: deps.holders,
      renewSession: session.renewSession,
      sent: deps.messages.sent,
      clock: steady,
      log,
    }),
    settled: statuses.settled,
    log,
  })
  const receipt = takeReceipt({
    statuses,
    messages: deps.messages,
    identity,
    me: () => creds.me,
    before: own.before,
    clock,
  })

  return {
    ...accountStanzas(deps),
    ...chatStanzas(deps, receipt),
    ...deviceStanzas(deps),
    ...pairingStanzas(session, own, log),

    chatOf: (node) => chatLine(node, identity.isMe),
    ack: (node) => sock.sendNode(ackOf(node)),
    result: (node) => sock.sendNode(resultOf(node)),
    confirmMessage,

    takeMessage: inbox.take,
    appendPost: notices.post,
    appendNotice: notices.notification,
    answerRetry,
    takeCall: (node) => receiving.calls.take(node, session),
    followAppState: serverSync.follow,
    mediaAnswered: loggedEffect(log, "the phone's answer to a file request is malformed", (node) =>
      own.mediaAnswered(decodeMediaRetryNode(node)),
    ),
    leave: (node) => deps.tally.add('svc_stanzas_left_total', kindOf(node)),

    acked: own.acks.came,
    presence: (node) => receiving.presence.onStanza(session, node),
    replayPeers: () => deps.replayPeers(),
    caughtUp: () => receiving.presence.caughtUp(session),
    loginAnswered: () => own.watchdog.answered(),
  }
}
