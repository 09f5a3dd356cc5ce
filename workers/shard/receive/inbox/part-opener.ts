/**
 * Decrypts the ciphertexts (parts) of a stanza. The address of the author is locked until the changed keys are in a
 * commit.
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
  assertOpen(): void
  /** Returns the encoded answer of a bot. Null if it is unreadable, for example if the answered message is unknown. */
  openAnswer(key: WAMessageKey, node: BinaryNode, ciphertext: Uint8Array): Promise<Uint8Array | null>
  rotateMarks(): Promise<void>
}

export interface PartOpener {
  /** Rejects after an error that the message did not cause; the network then delivers the message again. */
  openAll(stanza: MessageStanza): Promise<Openings>
  read(stanza: MessageStanza): StanzaMessage | null
}

export interface Openings {
  problem: SignalError['problem'] | undefined
  isSecretKnown: boolean
  /** Whether the stanza was recorded as a message of an unknown kind, which nobody sends again. */
  isForeign: boolean
}

/**
 * Thrown if `openAnswer` returns null, usually because the secret of the answered message is missing. A retry would not
 * help.
 */
class NoSecretError extends Error {
  constructor() {
    super('the secret of the message that a bot answers is not stored')
    this.name = 'NoSecretError'
  }
}

/** The shortest padding, for a plaintext without one: a single byte, whose value is the length of the padding. */
const PADDING = Uint8Array.of(1)

export function createPartOpener(deps: PartOpenerDeps): PartOpener {
  const { marks, journal, commits, log, noteUnreadable, me, assertOpen } = deps
  /** Stanzas that were recorded as messages of an unknown kind, which nobody sends again. */
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
   * Whether the part was decrypted before. This is checked again after the wait for the lock, because the same
   * ciphertext may have been decrypted in between.
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

  /**
   * Keeps a decrypted part. If further parts follow, or if the sender is the account's own phone, the part is on disk
   * when this resolves.
   */
  async function keep(stanza: MessageStanza, index: number, { plaintext, changes }: OpenedPart): Promise<void> {
    stanza.opened.set(index, plaintext)
    const isLast = index === stanza.ciphertexts.length - 1
    if (stanza.isPeer || !isLast) await commits.held(stanza, changes)
    else await finish(stanza, changes)
  }

  async function finish(stanza: MessageStanza, changes: readonly KeyChange[]) {
    const message = read(stanza)
    // The content is not a message, so it is requested again. It must be recorded as unreadable before it is marked as
    // seen; otherwise a second delivery would be confirmed, and the message lost.
    if (!message) {
      await noteUnreadable(stanza.node)
      return await commits.settled(stanza, changes)
    }
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
          // The crypto module throws strings, so a thrown value that is not an Error becomes one.
          const error = thrown instanceof Error ? thrown : new Error(String(thrown))
          if (error instanceof NoSecretError) isSecretKnown = false
          else problem = problemOf(error, ciphertext, deps)
          log.warn({ err: error, stanza: idOf(node) }, 'a message could not be decrypted or decoded')
        }
      }
      return { problem, isSecretKnown, isForeign: final.has(node) }
    },
  }
}

/**
 * Returns the reason why a part is unreadable. Throws an error that the message itself did not cause; the network then
 * delivers the message again.
 */
function problemOf(
  error: Error,
  ciphertext: Uint8Array,
  { assertOpen, tries, log }: Pick<PartOpenerDeps, 'assertOpen' | 'tries' | 'log'>,
): SignalError['problem'] {
  assertOpen()
  if (error instanceof SignalError) return error.problem
  // The thread must end after a trap of the WebAssembly module. The message is first recorded as unreadable, because it
  // would end the next thread too.
  if (isTrap(error)) return 'unreadable'
  if (error instanceof UnwrittenError || error.message === SESSION_CLOSED) throw error
  // Only an error that may be temporary is worth another attempt, because each attempt costs a connection.
  if (isPassing(error) && tries.isWorthAnother(ciphertextMark(ciphertext))) throw error
  log.error({ err: error }, 'a message could not be processed')
  return 'unreadable'
}
