/**
 * The inbox of one socket: which stanza a ciphertext is of, what is answered without opening it, and what becomes of one that was opened
 * or could not be. Fenced when the socket ends; cut off where going on would lose a message.
 */

import { type BinaryNode, MISSING_KEYS_ERROR_TEXT, type proto, type WAMessageKey, type WASocket } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { steadyClock } from '../../../src/domain/clock.ts'
import type { KeyChange } from '../keys/key-store.ts'
import { SESSION_CLOSED, SignalError } from '../keys/signal/errors.ts'
import type { Inbox as SignalInbox } from '../keys/signal/inbox-seam.ts'
import { bare } from '../wire/jid.ts'
import type { Tries } from './attempt-counter.ts'
import { type ChatOrder, createChatOrder, type Entry } from './chat-order.ts'
import { createInboxCommits, type InboxCommitDeps } from './inbox-commits.ts'
import { ciphertextMark, messageMarks } from './seen-marks.ts'
import { addressed, isEmptyHanded, type MessageStanza, messageStanza, readStanza, type StanzaMessage } from './stanza-message.ts'

export interface InboxSessionDeps extends InboxCommitDeps {
  /** Ciphertexts that met a failure of ours; after their last try they go the way of those that cannot be read. */
  tries: Tries
  log: Logger
  /** A message that cannot be read, before the library answers for it: a ciphertext that does not open, or a stanza without any. */
  unreadable(key: WAMessageKey, node: BinaryNode): void
  /** What the own phone says to its devices alone, after the library took it. What comes of it is on disk when it resolves. */
  peer(message: proto.IMessage): Promise<void>
  /** After a message is done. Never rejects. */
  rotateMarks(): Promise<void>
}

export interface InboxSession {
  readonly signal: SignalInbox
  attach(sock: WASocket, whenSaved: () => Promise<void>): void
  /** Refuse decrypts from now on: queued handlers of an ended socket still run, and what they open would be confirmed to nobody. */
  fence(): void
  /** A stanza of another kind has come that tells something of a chat. */
  enter: ChatOrder['enter']
  /** A stanza that is no message asks for the messages before it. */
  before: ChatOrder['before']
}

/** Where a ciphertext belongs. */
interface Part {
  stanza: MessageStanza
  index: number
  /** The stanza's place among what happens in its chat. */
  entry: Entry
}

/** Padding only: the library decodes it to an empty message, confirms it normally and reports nothing. */
const EMPTY = Uint8Array.of(1)

export function createInboxSession(deps: InboxSessionDeps): InboxSession {
  const { marks, journal, tries, log, killAt } = deps
  const commits = createInboxCommits(deps, cut)
  const order = createChatOrder(steadyClock.now)
  const known = new WeakMap<Uint8Array, Part>()
  let isFenced = false
  let sock: WASocket | undefined
  let whenSaved: () => Promise<void> = async () => {}

  const me = () => sock!.authState.creds.me

  /** Without the connection everything unconfirmed is delivered again. An answer would make the library ask for a retry, and use it up. */
  function cut() {
    isFenced = true
    const raw = (sock?.ws as unknown as { socket?: { terminate(): void } | null } | undefined)?.socket
    raw?.terminate()
  }

  /** Handlers of messages run one at a time: what waits in their line runs when the present one has sent its receipt and is done. */
  const afterHandler = (work: () => Promise<void>) => sock!.messageMutex.mutex(work)

  function see(node: BinaryNode) {
    const stanza = messageStanza(node, me())
    const entry = order.enter(bare(node.attrs.from ?? ''))
    if (stanza.ciphertexts.length === 0) entry.done()
    for (const [index, ciphertext] of stanza.ciphertexts.entries()) known.set(ciphertext, { stanza, index, entry })
    if (isEmptyHanded(node)) tellUnreadable(node)
  }

  const isLast = ({ stanza, index }: Part) => index === stanza.ciphertexts.length - 1

  function readOrNull(stanza: MessageStanza): StanzaMessage | null {
    try {
      return readStanza(stanza, me())
    } catch (error) {
      log.warn({ err: error, stanza: stanza.node.attrs.id }, 'what was opened is not a message')
      return null
    }
  }

  function tellUnreadable(node: BinaryNode) {
    try {
      const { key } = addressed(node, me())
      if (!messageMarks(key).some(marks.has)) deps.unreadable(key, node)
    } catch (error) {
      // A stanza without a chat or an id is nobody's message.
      log.warn({ err: error, stanza: node.attrs.id }, 'a stanza of a message is not one')
    }
  }

  async function finish({ stanza, entry }: Part, changes: readonly KeyChange[]) {
    await entry.turn()
    const message = readOrNull(stanza)
    if (!message) {
      // It opened, and what is in it is no message. It is used up; the library asks for it again, once more from the beginning.
      tellUnreadable(stanza.node)
      return await commits.settled(stanza, changes)
    }
    await commits.message(stanza, message, changes)
    void afterHandler(async () => killAt('inbox:after-receipt'))
    // The message is done: what goes wrong from here on must not make the library ask for it again.
    await deps.rotateMarks()
  }

  /** A peer message is settled when the library's handler has taken its effect, and what that changed is on disk. */
  function settleLater(stanza: MessageStanza) {
    afterHandler(async () => {
      await whenSaved()
      killAt('inbox:peer-confirmed')
      await deps.peer(readOrNull(stanza)?.message ?? {})
      await commits.settled(stanza, [])
      killAt('inbox:peer-settled')
    }).catch((error) => {
      log.warn({ err: error }, 'a peer message could not be settled; it is taken again after the next login')
      cut()
    })
  }

  const signal: SignalInbox = {
    admit(ciphertext) {
      if (isFenced) throw new Error(SESSION_CLOSED)
      const mark = ciphertextMark(ciphertext)
      const part = known.get(ciphertext)
      if (marks.has(mark)) {
        part?.entry.done()
        return EMPTY
      }
      const plaintext = journal.replay(mark)
      if (plaintext === undefined || !part) return plaintext
      part.stanza.opened.set(part.index, plaintext)
      if (part.stanza.isPeer && isLast(part)) settleLater(part.stanza)
      return plaintext
    },

    async opened({ ciphertext, plaintext, changes }) {
      const part = known.get(ciphertext)
      if (!part) throw new Error('a ciphertext without its stanza: the library no longer hands on the buffer of the node')
      const { stanza, index, entry } = part
      stanza.opened.set(index, plaintext)
      if (stanza.isPeer) {
        entry.done()
        await commits.held(stanza, changes)
        if (isLast(part)) settleLater(stanza)
        return
      }
      if (!isLast(part)) return await commits.held(stanza, changes)
      try {
        await finish(part, changes)
      } finally {
        entry.done()
      }
    },

    failed({ ciphertext, error }) {
      // The network delivers it again to the next socket.
      if (isFenced || error.message === SESSION_CLOSED) return
      const part = known.get(ciphertext)
      part?.entry.done()
      const about = { err: error, stanza: part?.stanza.node.attrs.id }
      if (!(error instanceof SignalError) && tries.isWorthAnother(ciphertextMark(ciphertext))) {
        log.error(about, 'a message could not be taken; the connection is cut')
        return cut()
      }
      log.warn(about, 'a message could not be read')
      if (!part) return
      const { stanza } = part
      if (!stanza.isPeer && error.message !== MISSING_KEYS_ERROR_TEXT) tellUnreadable(stanza.node)
      // The sender key of the first part is taken; the content comes again as a stanza of its own.
      commits.dropped(stanza).catch((cause) => log.warn({ err: cause }, 'an inbox journal record could not be removed'))
    },
  }

  /** After passive mode is left and before the network's own queue. */
  async function replayPeers({ ws }: WASocket) {
    for (const node of await journal.replayPeers()) ws.emit('CB:message', node)
  }

  return {
    signal,
    enter: order.enter,
    before: order.before,
    fence() {
      isFenced = true
      order.end()
    },
    attach(socket, saved) {
      sock = socket
      whenSaved = saved
      socket.ws.prependListener('CB:message', takeInLine)
      socket.ws.on('CB:message', see)
      socket.ws.on('CB:ib,,offline_preview', () => {
        replayPeers(socket).catch((error) => log.error({ err: error }, 'peer messages could not be taken again'))
      })
    },
  }
}

/**
 * One line for all messages of a socket. The library has two: what waited while we were away is taken one by one, what is new at once, so
 * that new messages overtake the old of the same chat; and new ones overtake each other while the first is still looking up its author's
 * addresses. A message under a sender key that overtakes the message with that key cannot be read at all (INBOUND.md, 3.5).
 */
function takeInLine({ attrs }: BinaryNode) {
  attrs.offline ??= '0'
}
