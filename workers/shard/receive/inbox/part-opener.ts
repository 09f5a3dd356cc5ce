/**
 * Opens the ciphertexts of a stanza. Each ciphertext is decrypted while it holds the lock of its author's address. The lock is released when the
 * changed keys are in a commit. This commit also contains the message if this was the last part, or else the parts so far.
 */
import type { AuthenticationCreds, BinaryNode, WAMessageKey } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { isPassing } from '../../../../src/domain/passing-error.ts'
import { isTrap } from '../../baileys/thread/trap.ts'
import type { KeyChange } from '../../keys/key-store.ts'
import { SESSION_CLOSED, SignalError } from '../../keys/signal/errors.ts'
import type { OpenedPart } from '../../keys/signal/part-turns.ts'
import type { SignalRepository } from '../../keys/signal/signal-repository.ts'
import { ciphertextMark, type Marks } from '../../messages/seen-marks.ts'
import { unwrap } from '../../translate/inbound/content.ts'
import { envelopeOf, idOf } from '../../wire/envelope.ts'
import { ciphertextKind, foreignKind } from '../../wire/message-stanza.ts'
import { type InboxCommits, UnwrittenError } from './inbox-commits.ts'
import type { Journal } from './journal.ts'
import { addressed, type MessageStanza, readStanza, type StanzaMessage } from './stanza-message.ts'
import type { Tries } from './tries.ts'
import { type NoteUnreadable, never } from './unreadable-notes.ts'

export interface PartOpenerDeps {
  marks: Pick<Marks, 'has'>
  journal: Pick<Journal, 'replay'>
  commits: InboxCommits
  tries: Tries
  log: Logger
  noteUnreadable: NoteUnreadable
  me(): AuthenticationCreds['me']
  repository(): Pick<SignalRepository, 'turnOf' | 'assertOpen'>
  /** Throws when the socket has ended. */
  assertOpen(): void
  /** Opens the ciphertext of a bot and returns the encoded message; null if the message that the bot answers is unknown. */
  openAnswer(key: WAMessageKey, node: BinaryNode, ciphertext: Uint8Array): Promise<Uint8Array | null>
  /** Called after a message is done. Never rejects. */
  rotateMarks(): Promise<void>
}

export interface PartOpener {
  /** Opens all ciphertexts in order. Rejects if there is an error that the message did not cause; the message is then delivered again. */
  openAll(stanza: MessageStanza): Promise<Openings>
  /** Reads the message from its opened parts; null if it is not a message. */
  read(stanza: MessageStanza): StanzaMessage | null
}

export interface Openings {
  /** The reason why a ciphertext could not be decrypted; the last one if there are several. */
  problem: SignalError['problem'] | undefined
  /** False if the message to which a bot's answer refers is unknown. */
  isSecretKnown: boolean
  /** True if the message was recorded as content of a kind that nobody sends again. */
  isForeign: boolean
}

/** The message that a bot answers is unknown. Only its secret decrypts the answer, so requesting the answer again would not help. */
class NoSecretError extends Error {
  constructor() {
    super('the secret of the message that a bot answers is not stored')
    this.name = 'NoSecretError'
  }
}

/** Padding of a plaintext, whose last byte is the length of the padding. */
const PADDING = Uint8Array.of(1)

export function createPartOpener(deps: PartOpenerDeps): PartOpener {
  const { marks, journal, commits, tries, log, noteUnreadable, me, assertOpen } = deps
  /** Stanzas that were recorded with content that nobody sends again. */
  const final = new WeakSet<BinaryNode>()

  function read(stanza: MessageStanza): StanzaMessage | null {
    try {
      return readStanza(stanza, me())
    } catch (error) {
      log.warn({ err: error, stanza: idOf(stanza.node) }, 'a decrypted stanza does not contain a valid message')
      return null
    }
  }

  /**
   * Whether the part was decrypted before: in a message that is finished, or as a part whose plaintext is in the journal because other parts are
   * missing. This is checked before the part waits for its turn and again in its turn, because during the wait the socket may have ended, or the same
   * ciphertext may have been decrypted.
   */
  function wasOpened({ marks: own, opened }: MessageStanza, index: number): boolean {
    assertOpen()
    const mark = own[index]!
    if (marks.has(mark)) return true
    const plaintext = journal.replay(mark)
    if (plaintext && !opened.has(index)) opened.set(index, plaintext)
    return plaintext !== undefined
  }

  async function open(stanza: MessageStanza, index: number): Promise<void> {
    const { node, ciphertexts } = stanza
    const { from, participant } = envelopeOf(node)
    const ciphertext = ciphertexts[index]!
    const type = ciphertextKind(node, ciphertext)
    if (type === 'msmsg') return await openAnswer(stanza, index)
    const repository = deps.repository()
    repository.assertOpen()
    if (wasOpened(stanza, index)) return
    const part = { type: type as 'pkmsg' | 'msg' | 'skmsg', chat: from, author: participant || from, ciphertext }
    const turn = await repository.turnOf(part)
    try {
      if (!wasOpened(stanza, index)) await keep(stanza, index, await turn.decrypt())
    } finally {
      turn.end()
    }
  }

  async function openAnswer(stanza: MessageStanza, index: number): Promise<void> {
    const { node, ciphertexts } = stanza
    if (wasOpened(stanza, index)) return
    const message = await deps.openAnswer(addressed(node, me()).key, node, ciphertexts[index]!)
    if (!message) throw new NoSecretError()
    await keep(stanza, index, { plaintext: Buffer.concat([message, PADDING]), changes: [] })
  }

  /** Gives the part and its changes of keys to a commit. If other parts or the library wait for this part, it is on disk when this resolves. */
  async function keep(stanza: MessageStanza, index: number, { plaintext, changes }: OpenedPart): Promise<void> {
    stanza.opened.set(index, plaintext)
    const isLast = index === stanza.ciphertexts.length - 1
    if (stanza.isPeer || !isLast) await commits.held(stanza, changes)
    else await finish(stanza, changes)
  }

  async function finish(stanza: MessageStanza, changes: readonly KeyChange[]) {
    const message = read(stanza)
    // The part was decrypted, but its content is not a message. Its key is used up, so the message is requested again. The message is recorded before
    // its marks are set, because a message that has only its marks would be confirmed on redelivery, and lost, if the process or the disk failed
    // between the two steps.
    if (!message) {
      await noteUnreadable(stanza.node)
      return await commits.settled(stanza, changes)
    }
    // The stanza contains the key of a sender, and content of a kind that is newer than this program.
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

  /**
   * Returns the problem that makes a part unreadable. Throws for an error that the message did not cause; the message
   * is then delivered again.
   */
  function unreadBecauseOf(error: Error, ciphertext: Uint8Array): SignalError['problem'] {
    assertOpen()
    if (error instanceof SignalError) return error.problem
    // A trap of the WebAssembly module ends the thread. The message that caused the trap is refused first, because it would end the next thread too.
    if (isTrap(error)) return 'unreadable'
    if (error instanceof UnwrittenError || error.message === SESSION_CLOSED) throw error
    // Another attempt is only made for an error that may pass. Any other error would happen again, and each attempt would cost a connection.
    if (isPassing(error) && tries.isWorthAnother(ciphertextMark(ciphertext))) throw error
    log.error({ err: error }, 'a message could not be processed')
    return 'unreadable'
  }

  return {
    read,
    async openAll(stanza) {
      const { node, ciphertexts } = stanza
      let problem: SignalError['problem'] | undefined
      let isSecretKnown = true
      for (const [index, ciphertext] of ciphertexts.entries()) {
        try {
          await open(stanza, index)
        } catch (thrown) {
          // The crypto module throws strings.
          const error = thrown instanceof Error ? thrown : new Error(String(thrown))
          if (error instanceof NoSecretError) isSecretKnown = false
          else problem = unreadBecauseOf(error, ciphertext)
          log.warn({ err: error, stanza: idOf(node) }, 'a message could not be decrypted or decoded')
        }
      }
      return { problem, isSecretKnown, isForeign: final.has(node) }
    },
  }
}
