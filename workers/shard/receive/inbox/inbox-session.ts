/**
 * The inbox of one socket: opens the ciphertexts of a message, and says how it is to be confirmed when all that it means is on disk. Fenced
 * when the socket ends; rejects where going on would lose a message, and the network sends it again to the next socket.
 */
import {
  type AuthenticationCreds,
  type BinaryNode,
  getBinaryNodeChild,
  type proto,
  type SignalRepositoryWithLIDStore,
  type WAMessageKey,
} from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { DAY, SECOND } from '../../../../src/domain/clock.ts'
import { isTrap } from '../../baileys/thread/trap.ts'
import type { KeyChange } from '../../keys/key-store.ts'
import { SESSION_CLOSED, SignalError } from '../../keys/signal/errors.ts'
import type { Inbox as SignalInbox } from '../../keys/signal/inbox-seam.ts'
import type { MessageOutcome } from '../../wire/confirmation.ts'
import { STATUS_JID } from '../../wire/jid.ts'
import type { Tries } from './attempt-counter.ts'
import { createInboxCommits, type InboxCommitDeps, UnwrittenError } from './inbox-commits.ts'
import { ciphertextMark, type Mark, messageMarks } from './seen-marks.ts'
import { addressed, isEmptyHanded, type MessageStanza, messageStanza, readStanza, type StanzaMessage } from './stanza-message.ts'

export interface InboxSessionDeps extends InboxCommitDeps {
  /** Ciphertexts that met a failure of ours; after their last try they go the way of those that cannot be read. */
  tries: Tries
  log: Logger
  /** A message that cannot be read: a ciphertext that does not open, or a stanza without any. On disk when it resolves. */
  unreadable(key: WAMessageKey, node: BinaryNode): Promise<void>
  /** What the own phone says to its devices alone, after the library took it. What comes of it is on disk when it resolves. */
  peer(message: proto.IMessage): Promise<void>
  /** After a message is done. Never rejects. */
  rotateMarks(): Promise<void>
}

export interface InboxSocket {
  me(): AuthenticationCreds['me']
  repository: Pick<SignalRepositoryWithLIDStore, 'decryptMessage' | 'decryptGroupMessage'>
  /** What the library makes of a peer message: keys of app state, history, pairs of names. */
  applyPeer(message: StanzaMessage): Promise<void>
  /** All that changed up to now is on disk. */
  settled(): Promise<void>
  /** Without the connection everything unconfirmed is delivered again. */
  cut(): void
}

export interface InboxSession {
  readonly signal: SignalInbox
  /** At once after the socket was made. */
  attach(socket: InboxSocket): void
  /** Resolves when all that the message means is on disk. Rejects when it has to come again. */
  take(node: BinaryNode): Promise<MessageOutcome>
  /** Peer messages of before whose effect was interrupted, oldest first; once per socket. */
  replays(): Promise<BinaryNode[]>
  /** Why the message could not be opened, for whoever asks for it again. */
  problemOf(node: BinaryNode): SignalError['problem'] | undefined
  /** Refuse decrypts from now on: handlers of an ended socket still run, and what they open would be confirmed to nobody. */
  fence(): void
}

/** Where a ciphertext belongs. */
interface Part {
  stanza: MessageStanza
  index: number
}

/** Stands for the plaintext of what was finished before. */
const EMPTY = Uint8Array.of(1)
/** The phone is not asked for the content of what is older: the library's `PLACEHOLDER_MAX_AGE_SECONDS`. */
const MAX_ABSENT_AGE = 14 * DAY
/** Nobody sees a status after that. */
const STATUS_LIFE = DAY

export function createInboxSession(deps: InboxSessionDeps): InboxSession {
  const { marks, journal, tries, log, killAt } = deps
  const commits = createInboxCommits(deps)
  const known = new WeakMap<Uint8Array, Part>()
  const problems = new WeakMap<BinaryNode, SignalError['problem']>()
  /** Peer messages whose effect is under way or in line. */
  const settling = new Set<Mark>()
  let isFenced = false
  let hasReplayed = false
  let socket: InboxSocket | undefined
  /** Effects of peer messages, one after the other; never rejects. */
  let peerLine: Promise<void> = Promise.resolve()

  const me = () => socket!.me()
  const isOlderThan = ({ attrs }: BinaryNode, age: number) => deps.clock.now() - Number(attrs.t) * SECOND > age
  const assertOpen = () => {
    if (isFenced) throw new Error(SESSION_CLOSED)
  }

  function readOrNull(stanza: MessageStanza): StanzaMessage | null {
    try {
      return readStanza(stanza, me())
    } catch (error) {
      log.warn({ err: error, stanza: stanza.node.attrs.id }, 'what was opened is not a message')
      return null
    }
  }

  /** False for one that was read before, and for what is nobody's message. */
  async function noteUnreadable(node: BinaryNode): Promise<boolean> {
    let key: WAMessageKey
    try {
      key = addressed(node, me()).key
    } catch (error) {
      // A stanza without a chat or an id.
      log.warn({ err: error, stanza: node.attrs.id }, 'a stanza of a message is not one')
      return false
    }
    if (messageMarks(key).some(marks.has)) return false
    await deps.unreadable(key, node)
    return true
  }

  /** A peer message is settled when the library has taken its effect, and what that changed is on disk. */
  function settleLater(stanza: MessageStanza, message: StanzaMessage | null) {
    settling.add(stanza.id)
    peerLine = peerLine
      .then(async () => {
        if (isFenced) return
        if (message) await socket!.applyPeer(message)
        await socket!.settled()
        killAt('inbox:peer-confirmed')
        await deps.peer(message?.message ?? {})
        await commits.settled(stanza, [])
        killAt('inbox:peer-settled')
      })
      .catch((error) => {
        if (isFenced) return
        log.warn({ err: error }, 'a peer message could not be settled; it is taken again after the next login')
        socket!.cut()
      })
      .finally(() => settling.delete(stanza.id))
  }

  const signal: SignalInbox = {
    admit(ciphertext) {
      assertOpen()
      const mark = ciphertextMark(ciphertext)
      return marks.has(mark) ? EMPTY : journal.replay(mark)
    },

    async opened({ ciphertext, plaintext, changes }) {
      const part = known.get(ciphertext)
      if (!part) throw new Error('a ciphertext without its stanza')
      const { stanza, index } = part
      stanza.opened.set(index, plaintext)
      const isLast = index === stanza.ciphertexts.length - 1
      if (stanza.isPeer || !isLast) await commits.held(stanza, changes)
      else await finish(stanza, changes)
    },

    // Whoever opens a part is told by the error itself.
    failed() {},
  }

  async function finish(stanza: MessageStanza, changes: readonly KeyChange[]) {
    const message = readOrNull(stanza)
    // It opened, and what is in it is no message: used up, and asked for again, once more from the beginning.
    if (!message) return await commits.settled(stanza, changes)
    await commits.message(stanza, message, changes)
    stanza.isDone = true
    await deps.rotateMarks()
  }

  async function open({ node, opened, ciphertexts }: MessageStanza, index: number): Promise<void> {
    const { from = '', participant } = node.attrs
    const author = participant ?? from
    const bytes = ciphertexts[index]!
    const type = typeOf(node, bytes)
    const { repository } = socket!
    const plaintext =
      type === 'skmsg'
        ? await repository.decryptGroupMessage({ group: from, authorJid: author, msg: bytes })
        : await repository.decryptMessage({ jid: author, type: type as 'pkmsg' | 'msg', ciphertext: bytes })
    // Of before: what was opened now is there already.
    if (plaintext !== EMPTY && !opened.has(index)) opened.set(index, plaintext)
  }

  /** Throws for what says nothing about the message: then it comes again. */
  function unreadBecauseOf(thrown: unknown, ciphertext: Uint8Array): SignalError['problem'] {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    assertOpen()
    if (error instanceof SignalError) return error.problem
    // The thread ends: the message that did it is refused before, or it would do so again in the next.
    if (isTrap(error)) return 'unreadable'
    if (error instanceof UnwrittenError || error.message === SESSION_CLOSED) throw error
    if (tries.isWorthAnother(ciphertextMark(ciphertext))) throw error
    log.error({ err: error }, 'a message could not be taken however often it came')
    return 'unreadable'
  }

  async function takeSealed(stanza: MessageStanza): Promise<MessageOutcome> {
    const { node, ciphertexts } = stanza
    let problem: SignalError['problem'] | undefined
    for (const [index, ciphertext] of ciphertexts.entries()) {
      known.set(ciphertext, { stanza, index })
      try {
        await open(stanza, index)
      } catch (error) {
        problem = unreadBecauseOf(error, ciphertext)
        log.warn({ err: error, stanza: node.attrs.id }, 'a message could not be read')
      }
    }
    if (stanza.isPeer && problem === undefined) {
      const message = readOrNull(stanza)
      // Replayed, and then given out again by the network: its effect is under way.
      if (!settling.has(stanza.id)) settleLater(stanza, message)
      return message?.message?.protocolMessage?.historySyncNotification ? 'history' : 'peer'
    }
    if (stanza.isDone) return 'read'
    if (problem !== undefined) problems.set(node, problem)
    const isNew = stanza.isPeer || (await noteUnreadable(node))
    const isGone = node.attrs.from === STATUS_JID && isOlderThan(node, STATUS_LIFE)
    // The sender key of the first part is taken; the content comes again as a stanza of its own.
    await commits.dropped(stanza)
    return isNew && !isGone ? 'unread' : 'done'
  }

  async function takeEmpty(node: BinaryNode): Promise<MessageOutcome> {
    const unavailable = getBinaryNodeChild(node, 'unavailable')
    const { type = '', hosted } = unavailable?.attrs ?? {}
    if (!(await noteUnreadable(node))) return 'done'
    // What is seen once arrived, where it may be seen.
    if (type === 'view_once') return 'read'
    const neverComes = hosted === 'true' || NEVER.has(type) || getBinaryNodeChild(unavailable, 'bot') !== undefined
    return neverComes || isOlderThan(node, MAX_ABSENT_AGE) ? 'done' : 'absent'
  }

  return {
    signal,
    attach(its) {
      socket = its
    },
    problemOf: (node) => problems.get(node),
    async take(node) {
      assertOpen()
      const stanza = messageStanza(node, me())
      if (isEmptyHanded(node)) return await takeEmpty(node)
      if (stanza.ciphertexts.length === 0) {
        log.info({ stanza: node.attrs.id }, 'a message is sealed in a way that nobody here knows')
        return 'done'
      }
      if (stanza.ciphertexts.every((each) => marks.has(ciphertextMark(each)))) return stanza.isPeer ? 'peer' : 'read'
      return await takeSealed(stanza)
    },
    async replays() {
      if (hasReplayed || isFenced) return []
      hasReplayed = true
      return await journal.replayPeers()
    },
    fence() {
      isFenced = true
    },
  }
}

/** Of `<unavailable>`: kinds that the phone has not either, or does not hand out. */
const NEVER = new Set(['bot_unavailable_fanout', 'hosted_unavailable_fanout', 'view_once_unavailable_fanout'])

const typeOf = ({ content }: BinaryNode, bytes: Uint8Array) =>
  (content as BinaryNode[]).find((part) => part.content === bytes)?.attrs.type
