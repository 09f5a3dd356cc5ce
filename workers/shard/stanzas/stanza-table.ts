/**
 * The handling of stanzas: the first matching row is used. A row has the stanzas it matches, the mutex for which they
 * wait, the steps, and the answer, which is sent last.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import {
  type Answer,
  AT_ONCE,
  decide,
  type Following,
  type Mutex,
  NO_ANSWER,
  oneByOne,
  rest,
  route,
  step,
  type Table,
} from '../connection/socket/stanza-router.ts'
import { MAX_RETRY_RECEIPTS } from '../retry/retry-receipts.ts'
import type { MessageOutcome } from '../wire/confirmation.ts'
import type { Match } from '../wire/match.ts'
import { LEFT } from './stanza-left.ts'

/**
 * Kinds of stanzas that are confirmed even if nothing processes them, so that the network does not deliver them again.
 */
const CONFIRMED = new Set(['notification', 'receipt', 'status'])
/**
 * Types of receipts about the status of the account's messages, or about messages that were read on another device. A
 * receipt for a delivery may have no type.
 */
const STATUSES = [undefined, 'delivery', 'inactive', 'sender', 'read', 'read-self', 'played']

type Effect = (node: BinaryNode) => unknown

export interface StanzaParts {
  chatOf(node: BinaryNode): string
  ack(node: BinaryNode): Promise<void>
  confirmMessage(node: BinaryNode, outcome: MessageOutcome | undefined): Promise<void>

  takeMessage(node: BinaryNode): Promise<Following<MessageOutcome>>
  appendPost: Effect
  appendNotice: Effect
  answerRetry: Effect
  takeReceipt: Effect
  takeCall: Effect
  followAppState(node: BinaryNode): Promise<'later' | undefined>
  storeToken: Effect

  learnPairs: Effect
  learnOwnName: Effect
  learnOwnPair: Effect
  countLogin: Effect
  changeChats: Effect
  followGroup: Effect
  dropDevices: Effect
  uploadPreKeys: Effect
  changeIdentity: Effect
  syncAccount: Effect
  limitAccount: Effect
  mediaAnswered: Effect
  showCodes: Effect
  finishPairing: Effect
  refreshQrSecret: Effect
  passkeyAsked: Effect
  passkeyContinued: Effect
  leave: Effect
  versionExpires: Effect
  result(node: BinaryNode): Promise<void>

  acked: Effect
  renewToken: Effect
  refreshLid: Effect
  compareDevices: Effect
  presence: Effect
  replayPeers: Effect
  caughtUp: Effect
  readAgain: Effect
  loginAnswered: Effect
}

const kind = (tag: string, attrs: NonNullable<Match['attrs']> = {}): Match => ({ tag, attrs })
const inside = (tag: string, child: string): Match => ({ tag, child })
const notification = (type: string) => kind('notification', { type })

const shared = (parts: StanzaParts) => ({
  parts,
  CHAT: { name: 'one of a chat after the other', key: parts.chatOf } satisfies Mutex,
  ACK: { name: 'ack', send: (node) => parts.ack(node) } satisfies Answer,
  PAIRS: step('intercept', 'number and LID', parts.learnPairs),
})
type Shared = ReturnType<typeof shared>
type Rows = (of: Shared) => Table

const LEFT_ALONE: Rows = ({ parts, ACK }) => {
  const LEAVE = step('count', 'left alone', parts.leave)
  return LEFT.map(({ of }) => route(of, AT_ONCE, [LEAVE], CONFIRMED.has(of.tag) ? ACK : NO_ANSWER))
}

const MESSAGES: Rows = ({ parts, CHAT, ACK, PAIRS }) => {
  const RECEIPT: Answer<MessageOutcome> = { name: 'receipt, or a request for it', send: parts.confirmMessage }
  return [
    route({ ...kind('message'), from: 'newsletter' }, CHAT, [step('commit', 'post', parts.appendPost)], ACK),
    route(
      kind('message'),
      { ...CHAT, overlaps: true },
      [
        PAIRS,
        step('intercept', 'name of the account', parts.learnOwnName),
        decide<MessageOutcome>('commit', 'inbox', parts.takeMessage),
      ],
      RECEIPT,
    ),
    route(
      kind('receipt', { type: 'retry' }),
      oneByOne('retry receipts one after the other', MAX_RETRY_RECEIPTS),
      [PAIRS, step('commit', 'the message again', parts.answerRetry)],
      ACK,
    ),
    route(kind('receipt', { type: STATUSES }), AT_ONCE, [PAIRS, step('commit', 'message_status', parts.takeReceipt)], ACK),
    rest(kind('receipt'), ACK),
    route(kind('call'), oneByOne('calls one after the other'), [PAIRS, step('commit', 'call', parts.takeCall)], ACK),
  ]
}

const NOTIFICATIONS: Rows = ({ parts, CHAT, ACK, PAIRS }) => {
  const CHATS = step('intercept', 'names and pictures', parts.changeChats)
  const EVENT = step('commit', 'event', parts.appendNotice)
  const ACK_UNLESS_LATER: Answer<'later'> = {
    name: 'ack, unless it could not be followed yet',
    send: (node, outcome) => (outcome === 'later' ? undefined : parts.ack(node)),
  }
  return [
    route(
      notification('w:gp2'),
      CHAT,
      [PAIRS, step('commit', 'what is known of the group', parts.followGroup), CHATS, EVENT],
      ACK,
    ),
    route(notification('newsletter'), CHAT, [CHATS, EVENT], ACK),
    route(notification('picture'), CHAT, [CHATS, EVENT], ACK),
    route(
      notification('mex'),
      oneByOne('mex one after the other'),
      [step('intercept', 'limits of the account', parts.limitAccount), CHATS, EVENT],
      ACK,
    ),
    route(
      notification('encrypt'),
      oneByOne('keys one after the other'),
      [
        step('intercept', 'number of pre-keys', parts.uploadPreKeys),
        step('intercept', 'identity of a contact', parts.changeIdentity),
      ],
      ACK,
    ),
    route(
      notification('devices'),
      oneByOne('devices one after the other'),
      [PAIRS, step('intercept', 'device lists', parts.dropDevices)],
      ACK,
    ),
    route(
      notification('account_sync'),
      oneByOne('devices one after the other'),
      [step('intercept', 'the account', parts.syncAccount)],
      ACK,
    ),
    route(notification('privacy_token'), CHAT, [PAIRS, step('commit', 'token of a contact', parts.storeToken)], ACK),
    route(
      notification('server_sync'),
      oneByOne('app state one after the other'),
      [decide<'later'>('commit', 'app state', parts.followAppState)],
      ACK_UNLESS_LATER,
    ),
    route(notification('mediaretry'), AT_ONCE, [step('intercept', 'who asked for the file', parts.mediaAnswered)], ACK),
    route(notification('contacts'), AT_ONCE, [PAIRS], ACK),
    route(
      notification('link_code_companion_reg'),
      oneByOne('pairing one after the other'),
      [step('intercept', 'end of the pairing', parts.finishPairing)],
      ACK,
    ),
    route(
      notification('companion_reg_refresh'),
      AT_ONCE,
      [step('intercept', 'secret of the QR code', parts.refreshQrSecret)],
      ACK,
    ),
    route(notification('passkey_prologue_request'), AT_ONCE, [step('commit', 'passkey asked for', parts.passkeyAsked)], ACK),
    route(notification('crsc_continuation'), AT_ONCE, [step('intercept', "the phone's part", parts.passkeyContinued)], ACK),
    rest(kind('notification'), ACK),
  ]
}

const ACKS: Rows = ({ parts }) => {
  const PENDING = step('intercept', 'who waits for it', parts.acked)
  return [
    route(
      kind('ack', { class: 'message' }),
      AT_ONCE,
      [
        PENDING,
        step('intercept', 'token of a contact', parts.renewToken),
        step('intercept', 'LID of a contact', parts.refreshLid),
        step('intercept', 'device lists', parts.compareDevices),
      ],
      NO_ANSWER,
    ),
    route(kind('ack', { class: 'receipt' }), AT_ONCE, [PENDING], NO_ANSWER),
    // An ack that no earlier row matches was already passed to the request that waits for it, so no step is needed.
    route(kind('ack'), AT_ONCE, [], NO_ANSWER),
  ]
}

const PRESENCES: Rows = ({ parts, CHAT }) => {
  const PRESENCE = step('intercept', 'presence', parts.presence)
  return [
    // Presence waits for the messages of its chat, so that the events have the order of their times.
    route(kind('presence'), CHAT, [PRESENCE], NO_ANSWER),
    route(kind('chatstate'), CHAT, [PRESENCE], NO_ANSWER),
  ]
}

const CONNECTION: Rows = ({ parts }) => {
  const RESULT: Answer = { name: 'result', send: (node) => parts.result(node) }
  const ANSWERED = step('intercept', 'the login is answered', parts.loginAnswered)
  const REPLAY = step('intercept', 'peer messages of before', parts.replayPeers)
  const CAUGHT_UP = step('intercept', 'nothing older will come', parts.caughtUp)
  return [
    route(inside('ib', 'offline_preview'), AT_ONCE, [REPLAY], NO_ANSWER),
    route(inside('ib', 'offline'), AT_ONCE, [REPLAY, CAUGHT_UP], NO_ANSWER),
    route(inside('ib', 'dirty'), AT_ONCE, [step('intercept', 'what is out of date', parts.readAgain)], NO_ANSWER),
    route(inside('ib', 'client_expiration'), AT_ONCE, [step('intercept', 'version', parts.versionExpires)], NO_ANSWER),
    rest(kind('ib'), NO_ANSWER),
    route(inside('iq', 'pair-device'), AT_ONCE, [ANSWERED, step('intercept', 'codes to scan', parts.showCodes)], RESULT),
    // The socket passes answers to the queries that wait for them, so no step is needed.
    route(kind('iq', { type: ['result', 'error'] }), AT_ONCE, [], NO_ANSWER),
    route(kind('iq', { type: 'get', xmlns: 'urn:xmpp:ping' }), AT_ONCE, [], RESULT),
    route(inside('iq', 'pair-success'), AT_ONCE, [], NO_ANSWER),
    route(
      kind('success'),
      AT_ONCE,
      [
        ANSWERED,
        step('intercept', 'number of logins', parts.countLogin),
        step('intercept', 'our own number and LID', parts.learnOwnPair),
      ],
      NO_ANSWER,
    ),
    route(kind('failure'), AT_ONCE, [ANSWERED], NO_ANSWER),
    route(kind('stream:error'), AT_ONCE, [ANSWERED], NO_ANSWER),
  ]
}

export function stanzaTable(parts: StanzaParts): Table {
  const of = shared(parts)
  return [LEFT_ALONE, MESSAGES, NOTIFICATIONS, ACKS, PRESENCES, CONNECTION].flatMap((rows) => rows(of))
}
