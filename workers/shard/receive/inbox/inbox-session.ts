/**
 * The inbox of one socket: decrypts the ciphertexts of a message, and decides how it is confirmed after all its effects are on disk. It is closed
 * when the socket ends. It rejects if continuing would lose a message; the network then sends the message again to the next socket.
 */
import {
  type AuthenticationCreds,
  type BinaryNode,
  getHistoryMsg,
  type proto,
  type SignalRepositoryWithLIDStore,
  type WAMessageKey,
} from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { DAY, SECOND } from '../../../../src/domain/clock.ts'
import { isPassing } from '../../../../src/domain/passing-error.ts'
import type { LoopShare } from '../../../../src/lib/loop-share.ts'
import type { CommitChain } from '../../../../src/storage/commit-chain.ts'
import { isTrap } from '../../baileys/thread/trap.ts'
import { Following } from '../../connection/socket/stanza-router.ts'
import type { KeyChange } from '../../keys/key-store.ts'
import { SESSION_CLOSED, SignalError } from '../../keys/signal/errors.ts'
import type { Inbox as SignalInbox } from '../../keys/signal/inbox-seam.ts'
import { unwrap } from '../../translate/inbound/content.ts'
import type { MessageOutcome } from '../../wire/confirmation.ts'
import { envelopeOf, fromOf, idOf } from '../../wire/envelope.ts'
import { STATUS_JID } from '../../wire/jid.ts'
import { absenceOf, ciphertextKind, contentKind, foreignKind, isEmptyHanded } from '../../wire/message-stanza.ts'
import type { Tries } from './attempt-counter.ts'
import { createInboxCommits, type InboxCommitDeps, UnwrittenError } from './inbox-commits.ts'
import { usablePeer } from './peer-content.ts'
import { ciphertextMark, type Mark, messageMarks } from './seen-marks.ts'
import { addressed, type MessageStanza, messageStanza, readStanza, type StanzaMessage } from './stanza-message.ts'
import type { Unreadable } from './undecrypted.ts'

export interface InboxSessionDeps extends InboxCommitDeps {
  /** Ciphertexts that met a failure of ours; after their last attempt they are treated as unreadable. */
  tries: Tries
  log: Logger
  /** A message that cannot be read: a ciphertext that does not decrypt, or a stanza without one. On disk when it resolves. */
  unreadable(key: WAMessageKey, node: BinaryNode, how?: Unreadable): Promise<void>
  /** The encoded message in the ciphertext of a bot; null if the message that it answers is unknown. */
  openAnswer(key: WAMessageKey, node: BinaryNode, ciphertext: Uint8Array): Promise<Uint8Array | null>
  /** A message of the own phone only to its devices, after the library has processed it. Its effects are on disk when it resolves. */
  peer(message: proto.IMessage): Promise<void>
  /** Called after a message is done. Never rejects. */
  rotateMarks(): Promise<void>
  /** Commit chain of this session only: its commits fail together. */
  chain: CommitChain
  /** Share of the thread for decrypting messages. */
  share: LoopShare
  /** Resolves when running commits of the previous session have ended. Never rejects. */
  before: Promise<void>
}

export interface InboxSocket {
  me(): AuthenticationCreds['me']
  repository: Pick<SignalRepositoryWithLIDStore, 'decryptMessage' | 'decryptGroupMessage'>
  /** The library's handling of a peer message: keys of app state, pairs of names; for a history only its notice. */
  applyPeer(message: StanzaMessage): Promise<void>
  /** The history from before this device was linked. On disk with all its effects when it resolves. */
  takeHistory(notice: proto.Message.IHistorySyncNotification): Promise<void>
  /** Resolves when all changes so far are on disk. */
  settled(): Promise<void>
  /** Closes the connection; the network then delivers everything unconfirmed again. */
  cut(): void
}

export interface InboxSession {
  readonly signal: SignalInbox
  /** Must be called right after the socket is created. */
  attach(socket: InboxSocket): void
  /**
   * Resolves when the message is decrypted and its event created; then the next one of its chat may begin. The outcome follows when all its effects
   * are on disk. Rejects if it must be delivered again.
   */
  take(node: BinaryNode): Promise<Following<MessageOutcome>>
  /** Earlier peer messages whose effects were interrupted, oldest first; once per socket. */
  replays(): Promise<BinaryNode[]>
  /** The reason why the message could not be decrypted, for the retry request. */
  problemOf(node: BinaryNode): SignalError['problem'] | undefined
  /** Refuses to decrypt from now on: handlers of an ended socket still run, and a message that they decrypt could not be confirmed. */
  fence(): void
}

/** Position of a ciphertext. */
interface Part {
  stanza: MessageStanza
  index: number
}

/** The message that a bot answers is unknown, so nobody can be asked for the answer. */
class NoSecretError extends Error {
  constructor() {
    super('the secret of the message that a bot answers is not stored')
    this.name = 'NoSecretError'
  }
}

/** Replaces the plaintext of a message that was already processed. */
const EMPTY = Uint8Array.of(1)
/** Age above which the phone is not asked for the content of a message: the library's `PLACEHOLDER_MAX_AGE_SECONDS`. */
const MAX_ABSENT_AGE = 14 * DAY
/**
 * Limit for the ciphertexts of a stanza in bytes: a larger one is not decrypted, because it would block the thread for 40 ms per MB and more. Phones
 * upload large content; messages with a picture inside or a card's ten thumbnails have a tenth of this. Peer messages of the own phone are exempt.
 */
const MAX_OPENED = 2 ** 20
/** Lifetime of a status. */
const STATUS_LIFE = DAY

export function createInboxSession(deps: InboxSessionDeps): InboxSession {
  const { marks, journal, tries, log, steps, chain, before } = deps
  const commits = createInboxCommits(deps, chain)
  const known = new WeakMap<Uint8Array, Part>()
  const problems = new WeakMap<BinaryNode, SignalError['problem']>()
  /** Stanzas that are recorded as unreadable. */
  const noted = new WeakSet<BinaryNode>()
  /** Recorded stanzas that nobody sends again. */
  const final = new WeakSet<BinaryNode>()
  /** Peer messages whose effects are running or queued. */
  const settling = new Set<Mark>()
  let isFenced = false
  let hasReplayed = false
  let socket: InboxSocket | undefined
  /** Effects of peer messages, one after the other; never rejects. */
  let peerTail: Promise<void> = Promise.resolve()
  /** The same for histories, in parallel: one takes as long as the account is old, and keys would wait for it. */
  let historyTail: Promise<void> = Promise.resolve()

  const me = () => socket!.me()
  const isOlderThan = (node: BinaryNode, age: number) => deps.clock.now() - Number(envelopeOf(node).t) * SECOND > age
  const assertOpen = () => {
    if (isFenced) throw new Error(SESSION_CLOSED)
  }

  function readOrNull(stanza: MessageStanza): StanzaMessage | null {
    try {
      return readStanza(stanza, me())
    } catch (error) {
      log.warn({ err: error, stanza: idOf(stanza.node) }, 'a decrypted stanza does not contain a valid message')
      return null
    }
  }

  /** False for a message that was read before, and for a stanza that is not a message. */
  async function noteUnreadable(node: BinaryNode, how?: Unreadable): Promise<boolean> {
    let key: WAMessageKey
    try {
      key = addressed(node, me()).key
    } catch (error) {
      // The stanza has no chat or no id.
      log.warn({ err: error, stanza: idOf(node) }, 'a message stanza is malformed')
      deps.unreported('malformed')
      return false
    }
    if (messageMarks(key).some(marks.has)) {
      deps.unreported('again')
      return false
    }
    if (!noted.has(node)) await deps.unreadable(key, node, how)
    noted.add(node)
    return true
  }

  /** Called after its effects were processed and are on disk. */
  async function settle(stanza: MessageStanza, message: StanzaMessage) {
    await socket!.settled()
    steps('inbox:peer-confirmed')
    await deps.peer(message.message ?? {})
    await commits.settled(stanza, [], message.key)
    steps('inbox:peer-settled')
  }

  /** Its effects are impossible now and later: it is logged and kept for an investigation. The connection stays open. */
  async function setAside(stanza: MessageStanza, field: string) {
    await noteUnreadable(stanza.node, never(field))
    await journal.setAside(stanza.id)
  }

  async function peerFailed(stanza: MessageStanza, message: StanzaMessage, error: unknown) {
    if (isFenced) return
    if (!isOurs(error)) {
      log.error(
        { err: error, stanza: idOf(stanza.node) },
        "a message from the account's own phone could not be processed; it is stored but not tried again",
      )
      try {
        return await setAside(stanza, unwrap(message.message ?? {})?.field ?? stanza.node.tag)
      } catch (cause) {
        error = cause
      }
    }
    journal.failed(stanza.id)
    log.warn(
      { err: error },
      "a message from the account's own phone could not be completed; it is tried again after the next login",
    )
    socket!.cut()
  }

  function settleLater(stanza: MessageStanza, message: StanzaMessage) {
    const notice = historyNotice(message)
    settling.add(stanza.id)
    const applied = peerTail.then(async () => {
      if (isFenced) return
      await socket!.applyPeer(message)
      if (!notice) await settle(stanza, message)
    })
    peerTail = applied.catch((error) => peerFailed(stanza, message, error))
    if (!notice) return void peerTail.finally(() => settling.delete(stanza.id))
    historyTail = historyTail
      .then(async () => {
        const isApplied = await applied.then(
          () => true,
          () => false,
        )
        if (!isApplied || isFenced) return
        await socket!.takeHistory(notice)
        await settle(stanza, message)
      })
      // A history that fails is no reason to end the connection.
      .catch((error) => {
        if (isFenced) return
        journal.failed(stanza.id)
        log.warn({ err: error }, "the phone's history could not be read; it is tried again after the next login")
      })
      .finally(() => settling.delete(stanza.id))
  }

  const signal: SignalInbox = {
    admit(ciphertext) {
      assertOpen()
      const part = known.get(ciphertext)
      const mark = part ? part.stanza.marks[part.index]! : ciphertextMark(ciphertext)
      return marks.has(mark) ? EMPTY : journal.replay(mark)
    },

    async opened({ ciphertext, plaintext, changes }) {
      const part = known.get(ciphertext)
      if (!part) throw new Error('a decrypted ciphertext belongs to no known stanza')
      const { stanza, index } = part
      stanza.opened.set(index, plaintext)
      const isLast = index === stanza.ciphertexts.length - 1
      if (stanza.isPeer || !isLast) await commits.held(stanza, changes)
      else await finish(stanza, changes)
    },
  }

  async function finish(stanza: MessageStanza, changes: readonly KeyChange[]) {
    const message = readOrNull(stanza)
    // It was decrypted, but its content is not a message: its key is used up, and it is requested again. It is recorded before its marks are set,
    // because with marks it would be confirmed on redelivery if the process or the disk failed in between.
    if (!message) {
      await noteUnreadable(stanza.node)
      return await commits.settled(stanza, changes)
    }
    // The key of a sender together with content of a kind that is newer than this program.
    const foreign = foreignKind(stanza.node)
    if (foreign !== undefined && !unwrap(message.message ?? {})) {
      await noteUnreadable(stanza.node, never(foreign))
      final.add(stanza.node)
      return await commits.settled(stanza, changes)
    }
    const { written } = await commits.message(stanza, message, changes)
    stanza.written = written.then(deps.rotateMarks)
    stanza.written.catch(() => {})
  }

  async function open({ node, opened, ciphertexts }: MessageStanza, index: number): Promise<void> {
    const { from, participant } = envelopeOf(node)
    const author = participant || from
    const bytes = ciphertexts[index]!
    const type = ciphertextKind(node, bytes)
    if (type === 'msmsg') return await openAnswer(node, bytes)
    const { repository } = socket!
    const plaintext =
      type === 'skmsg'
        ? await repository.decryptGroupMessage({ group: from, authorJid: author, msg: bytes })
        : await repository.decryptMessage({ jid: author, type: type as 'pkmsg' | 'msg', ciphertext: bytes })
    // Parts recovered from the journal; freshly decrypted parts are already in `opened`.
    if (plaintext !== EMPTY && !opened.has(index)) opened.set(index, plaintext)
  }

  async function openAnswer(node: BinaryNode, ciphertext: Uint8Array): Promise<void> {
    if (signal.admit(ciphertext)) return
    const message = await deps.openAnswer(addressed(node, me()).key, node, ciphertext)
    if (!message) throw new NoSecretError()
    await signal.opened({ ciphertext, plaintext: Buffer.concat([message, EMPTY]), changes: [] })
  }

  /** Throws for an error that the message did not cause; it is then delivered again. */
  function unreadBecauseOf(thrown: unknown, ciphertext: Uint8Array): SignalError['problem'] {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    assertOpen()
    if (error instanceof SignalError) return error.problem
    // The thread ends. The message that caused it is refused first, because it would end the next thread too.
    if (isTrap(error)) return 'unreadable'
    if (error instanceof UnwrittenError || error.message === SESSION_CLOSED) throw error
    // Any other error would happen again, and would cost a connection each time.
    if (isPassing(error) && tries.isWorthAnother(ciphertextMark(ciphertext))) throw error
    log.error({ err: error }, 'a message could not be processed')
    return 'unreadable'
  }

  async function takeSealed(stanza: MessageStanza): Promise<MessageOutcome> {
    const { node, ciphertexts } = stanza
    let problem: SignalError['problem'] | undefined
    let isSecretKnown = true
    for (const [index, ciphertext] of ciphertexts.entries()) {
      known.set(ciphertext, { stanza, index })
      try {
        await open(stanza, index)
      } catch (error) {
        if (error instanceof NoSecretError) isSecretKnown = false
        else problem = unreadBecauseOf(error, ciphertext)
        log.warn({ err: error, stanza: idOf(node) }, 'a message could not be decrypted or decoded')
      }
    }
    if (stanza.isPeer) {
      const message = problem === undefined ? readPeer(stanza) : null
      if (!message) return await takeUnreadablePeer(stanza, problem)
      // Replayed, and then delivered again by the network: its effects are running.
      if (!settling.has(stanza.id)) settleLater(stanza, message)
      deps.unreported('peer')
      return historyNotice(message) ? 'history' : 'peer'
    }
    if (stanza.written) return 'read'
    if (final.has(node)) return 'done'
    if (!isSecretKnown) {
      await commits.dropped(stanza)
      return await takeForeign(node, 'msmsg')
    }
    if (problem !== undefined) problems.set(node, problem)
    const isNew = await noteUnreadable(node)
    const isGone = fromOf(node) === STATUS_JID && isOlderThan(node, STATUS_LIFE)
    // The sender key of the first part was accepted; the content arrives again as a separate stanza.
    await commits.dropped(stanza)
    return isNew && !isGone ? 'unread' : 'done'
  }

  function readPeer(stanza: MessageStanza): StanzaMessage | null {
    const message = readOrNull(stanza)
    const content = message && usablePeer(message.message ?? {})
    return content && ({ ...message, message: content } as StanzaMessage)
  }

  /** The phone is asked to send it again. Decrypted parts that cannot be used are kept for an investigation. */
  async function takeUnreadablePeer(stanza: MessageStanza, problem: SignalError['problem'] | undefined): Promise<MessageOutcome> {
    const { node } = stanza
    if (problem !== undefined) problems.set(node, problem)
    await noteUnreadable(node, { protoType: contentKind(node) ?? node.tag, isFinal: false })
    await journal.setAside(stanza.id)
    return 'unread'
  }

  /** Nobody here can decrypt it, and it is not requested again, because it would arrive unchanged. */
  async function takeForeign(node: BinaryNode, kind: string): Promise<MessageOutcome> {
    if (await noteUnreadable(node, never(kind)))
      log.warn({ stanza: idOf(node) }, 'a message uses an encryption that this service does not support')
    return 'done'
  }

  async function takeHuge(node: BinaryNode): Promise<MessageOutcome> {
    if (await noteUnreadable(node)) log.warn({ stanza: idOf(node) }, 'a message is too large to decrypt')
    return 'done'
  }

  async function takeEmpty(node: BinaryNode): Promise<MessageOutcome> {
    if (!(await noteUnreadable(node))) return 'done'
    const absence = absenceOf(node)
    if (absence === 'shown') return 'read'
    return absence === 'never' || isOlderThan(node, MAX_ABSENT_AGE) ? 'done' : 'absent'
  }

  async function takeStanza(stanza: MessageStanza): Promise<MessageOutcome> {
    const { node } = stanza
    if (isEmptyHanded(node)) return await takeEmpty(node)
    if (stanza.ciphertexts.length === 0) return await takeForeign(node, foreignKind(node) ?? node.tag)
    if (stanza.marks.every(marks.has)) {
      deps.unreported('again')
      return stanza.isPeer ? 'peer' : 'read'
    }
    const size = stanza.ciphertexts.reduce((sum, { length }) => sum + length, 0)
    return !stanza.isPeer && size > MAX_OPENED ? await takeHuge(node) : await takeSealed(stanza)
  }

  /** Waits for the data that decided the outcome: for a message that was seen before, marks that may still be on their way. */
  async function onDisk(stanza: MessageStanza): Promise<void> {
    if (stanza.written) return await stanza.written
    try {
      await chain.settled()
    } catch (cause) {
      throw new UnwrittenError(cause)
    }
  }

  return {
    signal,
    attach(its) {
      socket = its
    },
    problemOf: (node) => problems.get(node),
    async take(node) {
      assertOpen()
      await before
      await chain.room()
      await deps.share()
      const stanza = messageStanza(node, me())
      const outcome = await takeStanza(stanza)
      return new Following(onDisk(stanza).then(() => outcome))
    },
    async replays() {
      if (hasReplayed || isFenced) return []
      hasReplayed = true
      return await journal.replayPeers(async (node) => void (await noteUnreadable(node, never(contentKind(node) ?? node.tag))))
    },
    fence() {
      if (!isFenced) journal.interrupted()
      isFenced = true
    },
  }
}

/** Nobody sends it again. */
const never = (protoType: string): Unreadable => ({ protoType, isFinal: true })

const historyNotice = ({ message }: StanzaMessage) => getHistoryMsg(message ?? {})

/** An error that the message did not cause: the disk, or an end of the connection. */
const isOurs = (error: unknown) => error instanceof UnwrittenError || isPassing(error)
