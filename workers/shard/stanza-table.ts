/**
 * What is done about every stanza, in one place: the first row that fits decides. Rows say which stanzas, in which line they wait, the steps in
 * their order, and the answer, which is given when all steps are through (`connection/stanza-router.ts`). A test prints it.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import {
  type Answer,
  AT_ONCE,
  decide,
  type Line,
  type Match,
  NO_ANSWER,
  oneByOne,
  route,
  step,
  type Table,
} from './connection/socket/stanza-router.ts'
import { MAX_RETRY_RECEIPTS } from './retry/retry-receipts.ts'
import type { MessageOutcome } from './wire/confirmation.ts'

type Effect = (node: BinaryNode) => unknown

/** What the rows call: one function each, put together in `stanza-parts.ts`. */
export interface StanzaParts {
  /** A name for the chat of a message or notification. */
  chatOf(node: BinaryNode): string
  ack(node: BinaryNode): Promise<void>
  confirmMessage(node: BinaryNode, outcome: MessageOutcome | undefined): Promise<void>

  takeMessage(node: BinaryNode): Promise<MessageOutcome>
  tellPost: Effect
  tellNotice: Effect
  answerRetry: Effect
  takeReceipt: Effect
  takeCall: Effect
  followAppState(node: BinaryNode): Promise<'later' | undefined>
  storeToken: Effect

  learnPairs: Effect
  learnOwnName: Effect
  learnOwnPair: Effect
  changeChats: Effect
  forgetGroup: Effect
  dropDevices: Effect
  uploadPreKeys: Effect
  changeIdentity: Effect
  syncAccount: Effect
  limitAccount: Effect
  mediaAnswered: Effect
  finishPairing: Effect
  refreshQrSecret: Effect
  passkeyAsked: Effect
  nameUnknown: Effect

  acked: Effect
  renewToken: Effect
  compareDevices: Effect
  presence: Effect
  replayPeers: Effect
  firstReading: Effect
  leaveOutUnaddressable: Effect
  loginAnswered: Effect
  queryRefused: Effect
}

export function stanzaTable(parts: StanzaParts): Table {
  const CHAT: Line = { name: 'one of a chat after the other', key: parts.chatOf }
  const ACK: Answer = { name: 'ack', send: (node) => parts.ack(node) }
  const ACK_UNLESS_LATER: Answer<'later'> = {
    name: 'ack, unless it could not be followed yet',
    send: (node, outcome) => (outcome === 'later' ? undefined : parts.ack(node)),
  }
  const RECEIPT: Answer<MessageOutcome> = { name: 'receipt, or a request for it', send: parts.confirmMessage }

  const PAIRS = step('intercept', 'number and LID', parts.learnPairs)
  const CHATS = step('intercept', 'names and pictures', parts.changeChats)
  const EVENT = step('commit', 'event', parts.tellNotice)
  const ANSWERED = step('intercept', 'the login is answered', parts.loginAnswered)
  const PRESENCE = step('intercept', 'presence', parts.presence)
  const REPLAY = step('intercept', 'peer messages of before', parts.replayPeers)
  const PASSKEY = step('intercept', 'passkey asked for', parts.passkeyAsked)
  const PENDING = step('intercept', 'who waits for it', parts.acked)

  const notification = (type: string): Match => ({ tag: 'notification', attrs: { type } })

  return [
    route({ tag: 'message', from: 'newsletter' }, CHAT, [step('commit', 'post', parts.tellPost)], ACK),
    route(
      { tag: 'message' },
      CHAT,
      [
        PAIRS,
        step('intercept', 'name of the account', parts.learnOwnName),
        decide<MessageOutcome>('commit', 'inbox', parts.takeMessage),
      ],
      RECEIPT,
    ),
    route(
      { tag: 'receipt', attrs: { type: 'retry' } },
      oneByOne('retry receipts one after the other', MAX_RETRY_RECEIPTS),
      [PAIRS, step('commit', 'the message again', parts.answerRetry)],
      ACK,
    ),
    route({ tag: 'receipt' }, AT_ONCE, [PAIRS, step('commit', 'message_status', parts.takeReceipt)], ACK),
    route({ tag: 'call' }, oneByOne('calls one after the other'), [PAIRS, step('commit', 'call', parts.takeCall)], ACK),
    route(
      notification('w:gp2'),
      CHAT,
      [PAIRS, step('intercept', 'what is known of the group', parts.forgetGroup), CHATS, EVENT],
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
    route(notification('passkey_prologue_request'), AT_ONCE, [PASSKEY], ACK),
    route(notification('crsc_continuation'), AT_ONCE, [PASSKEY], ACK),
    route({ tag: 'notification' }, AT_ONCE, [step('count', 'kinds nobody here knows', parts.nameUnknown)], ACK),
    route(
      { tag: 'ack', attrs: { class: 'message' } },
      AT_ONCE,
      [
        PENDING,
        step('intercept', 'token of a contact', parts.renewToken),
        step('intercept', 'device lists', parts.compareDevices),
      ],
      NO_ANSWER,
    ),
    route({ tag: 'ack', attrs: { class: 'receipt' } }, AT_ONCE, [PENDING], NO_ANSWER),
    route({ tag: 'presence' }, AT_ONCE, [PRESENCE], NO_ANSWER),
    route({ tag: 'chatstate' }, AT_ONCE, [PRESENCE], NO_ANSWER),
    route({ tag: 'ib', child: 'offline_preview' }, AT_ONCE, [REPLAY], NO_ANSWER),
    route({ tag: 'ib', child: 'offline' }, AT_ONCE, [REPLAY], NO_ANSWER),
    route(
      { tag: 'iq', child: 'sync' },
      AT_ONCE,
      [step('intercept', 'first reading of app state', parts.firstReading)],
      NO_ANSWER,
    ),
    route(
      { tag: 'iq', child: 'usync' },
      AT_ONCE,
      [step('intercept', 'devices that have no address', parts.leaveOutUnaddressable)],
      NO_ANSWER,
    ),
    route({ tag: 'iq', child: 'pair-device' }, AT_ONCE, [ANSWERED], NO_ANSWER),
    route(
      { tag: 'iq', attrs: { type: 'error' } },
      AT_ONCE,
      [step('intercept', 'a query of ours', parts.queryRefused)],
      NO_ANSWER,
    ),
    route({ tag: 'success' }, AT_ONCE, [ANSWERED, step('intercept', 'our own number and LID', parts.learnOwnPair)], NO_ANSWER),
    route({ tag: 'failure' }, AT_ONCE, [ANSWERED], NO_ANSWER),
    route({ tag: 'stream:error' }, AT_ONCE, [ANSWERED], NO_ANSWER),
  ]
}
