/**
 * Decrypts the messages of one socket, and decides how they are confirmed when all their effects are on disk. If the
 * socket has ended or a commit has failed, `take` rejects, so that the network delivers the message again.
 */
import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { DAY } from '../../../../src/domain/clock.ts'
import type { LoopShare } from '../../../../src/lib/loop-share.ts'
import type { CommitChain } from '../../../../src/storage/commit-chain.ts'
import { Following } from '../../connection/socket/stanza-router.ts'
import { SESSION_CLOSED, type SignalError } from '../../keys/signal/errors.ts'
import type { SignalRepository } from '../../keys/signal/signal-repository.ts'
import type { MessageOutcome } from '../../wire/confirmation.ts'
import { fromOf } from '../../wire/envelope.ts'
import { STATUS_JID } from '../../wire/jid.ts'
import { contentKind, foreignKind, isEmptyHanded } from '../../wire/message-stanza.ts'
import { createInboxCommits, type InboxCommitDeps, UnwrittenError } from './inbox-commits.ts'
import { createPartOpener, type PartOpenerDeps } from './part-opener.ts'
import { usablePeer } from './peer-content.ts'
import { createPeerEffects, historyNotice, type PeerEffectsDeps, type PeerSocket } from './peer-effects.ts'
import { type MessageStanza, messageStanza, type StanzaMessage } from './stanza-message.ts'
import type { Tries } from './tries.ts'
import { isOlderThan, unopened } from './unopened.ts'
import { createUnreadableNotes, never, type UnreadableNotesDeps } from './unreadable-notes.ts'

export interface InboxSessionDeps
  extends InboxCommitDeps,
    Pick<PartOpenerDeps, 'openAnswer' | 'rotateMarks'>,
    Pick<PeerEffectsDeps, 'peer'>,
    Pick<UnreadableNotesDeps, 'unreadable'> {
  /**
   * Counts the decryptions that failed because of this service, such as its storage. After the last attempt a
   * ciphertext counts as unreadable.
   */
  tries: Tries
  log: Logger
  chain: CommitChain
  /** Limits the share of the event loop that decryption may use. */
  share: LoopShare
  /** Resolves when the last commit of the previous session is done. Never rejects. */
  before: Promise<void>
}

export interface InboxSocket extends PeerSocket {
  me(): AuthenticationCreds['me']
  repository: Pick<SignalRepository, 'turnOf' | 'assertOpen'>
}

export interface InboxSession {
  /** Must be called right after the socket is created. */
  attach(socket: InboxSocket): void
  /**
   * Resolves when the event of the message is created; the outcome follows when all effects are on disk. Rejects if the
   * network must deliver the message again.
   */
  take(node: BinaryNode): Promise<Following<MessageOutcome>>
  /**
   * Returns messages of the account's own phone whose effects were interrupted, oldest first. Only the first call
   * returns any.
   */
  replays(): Promise<BinaryNode[]>
  problemOf(node: BinaryNode): SignalError['problem'] | undefined
  /** Must be called when the socket has ended. No message is decrypted later, because it could not be confirmed. */
  fence(): void
}

/**
 * Maximum size in bytes of all ciphertexts of a stanza together. A larger stanza would block the thread for 40 ms per
 * MB. Messages of the account's own phone to this device have no limit.
 */
const MAX_OPENED = 2 ** 20
const STATUS_LIFE = DAY

export function createInboxSession(deps: InboxSessionDeps): InboxSession {
  const { marks, journal, chain, before } = deps
  const problems = new WeakMap<BinaryNode, SignalError['problem']>()
  let isFenced = false
  let hasReplayed = false
  let attached: InboxSocket | undefined

  const socket = () => attached!
  const me = () => socket().me()
  const assertOpen = () => {
    if (isFenced) throw new Error(SESSION_CLOSED)
  }

  const commits = createInboxCommits(deps, chain)
  const noteUnreadable = createUnreadableNotes({ ...deps, me })
  const unread = unopened({ noteUnreadable, clock: deps.clock, log: deps.log })
  const opener = createPartOpener({
    ...deps,
    commits,
    noteUnreadable,
    me,
    repository: () => socket().repository,
    assertOpen,
  })
  const peerEffects = createPeerEffects({ ...deps, socket, commits, noteUnreadable, isFenced: () => isFenced })

  async function takeSealed(stanza: MessageStanza): Promise<MessageOutcome> {
    const { node } = stanza
    const { problem, isSecretKnown, isForeign } = await opener.openAll(stanza)
    if (stanza.isPeer) {
      const message = problem === undefined ? readPeer(stanza) : null
      if (!message) return await takeUnreadablePeer(stanza, problem)
      peerEffects.begin(stanza, message)
      deps.unreported('peer')
      return historyNotice(message) ? 'history' : 'peer'
    }
    if (stanza.written) return 'read'
    if (isForeign) return 'done'
    if (!isSecretKnown) {
      await commits.dropped(stanza)
      return await unread.foreign(node, 'msmsg')
    }
    if (problem !== undefined) problems.set(node, problem)
    const isNew = await noteUnreadable(node)
    const isGone = fromOf(node) === STATUS_JID && isOlderThan(node, STATUS_LIFE, deps.clock)
    // If a first part was decrypted, it contained a sender key, which is stored. The content arrives again in a stanza
    // of its own.
    await commits.dropped(stanza)
    return isNew && !isGone ? 'unread' : 'done'
  }

  function readPeer(stanza: MessageStanza): StanzaMessage | null {
    const message = opener.read(stanza)
    const content = message && usablePeer(message.message ?? {})
    return content && ({ ...message, message: content } as StanzaMessage)
  }

  /** Asks the phone to send the message again. Decrypted parts that cannot be used are stored for developers. */
  async function takeUnreadablePeer(stanza: MessageStanza, problem: SignalError['problem'] | undefined): Promise<MessageOutcome> {
    const { node } = stanza
    if (problem !== undefined) problems.set(node, problem)
    await noteUnreadable(node, { protoType: contentKind(node) ?? node.tag, isFinal: false })
    await journal.setAside(stanza.id)
    return 'unread'
  }

  async function takeStanza(stanza: MessageStanza): Promise<MessageOutcome> {
    const { node } = stanza
    if (isEmptyHanded(node)) return await unread.empty(node)
    if (stanza.ciphertexts.length === 0) return await unread.foreign(node, foreignKind(node) ?? node.tag)
    if (stanza.marks.every(marks.has)) {
      deps.unreported('again')
      return stanza.isPeer ? 'peer' : 'read'
    }
    const size = stanza.ciphertexts.reduce((sum, { length }) => sum + length, 0)
    return !stanza.isPeer && size > MAX_OPENED ? await unread.huge(node) : await takeSealed(stanza)
  }

  /**
   * Resolves when the effects of the stanza are on disk. The record of a message that was seen before may still be in a
   * running commit.
   */
  async function onDisk(stanza: MessageStanza): Promise<void> {
    if (stanza.written) return await stanza.written
    try {
      await chain.settled()
    } catch (cause) {
      throw new UnwrittenError(cause)
    }
  }

  return {
    attach(its) {
      attached = its
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
