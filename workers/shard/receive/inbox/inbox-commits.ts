/**
 * Writes the effects of received stanzas, together with the Signal keys that the decryption changed. Commits form a
 * chain: if one fails, its message and all later ones are delivered again.
 */
import type { WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import type { Clock } from '../../../../src/domain/clock.ts'
import type { Steps } from '../../../../src/domain/steps.ts'
import type { ReceivedEvent } from '../../../../src/features/webhook-payloads.ts'
import type { CommitChain } from '../../../../src/storage/commit-chain.ts'
import type { Op } from '../../../../src/storage/contract.ts'
import type { KeyChange, KeyStore } from '../../keys/key-store.ts'
import { type Mark, type Marks, messageMarks } from '../../messages/seen-marks.ts'
import { isEvent, type Reported, type Unreported } from '../unreported.ts'
import { type Journal, type JournalRecord, nodeText } from './journal.ts'
import type { MessageStanza, StanzaMessage } from './stanza-message.ts'

export interface InboxCommitDeps {
  keys: KeyStore
  marks: Marks
  journal: Journal
  clock: Clock
  outbox: { append(event: ReceivedEvent): { eventId: string; ops: Op[] }; committed(eventId: string): void }
  translate(message: WAMessage): Promise<Reported>
  unreported(reason: Unreported): void
  arrived(key: WAMessageKey): { ops: Op[]; applied(): void }
  alongside(message: WAMessage): Promise<readonly Op[]>
  /** Called as soon as the commit has begun, because the next message may refer to this one. */
  remember(message: WAMessage): void
  /** Called after the commit of each new message that has content. */
  onMessage(message: WAMessage): void
  steps: Steps
}

export interface InboxCommits {
  /** Creates the event and all other effects of a decrypted message. `written` resolves when they are on disk. */
  message(stanza: MessageStanza, message: StanzaMessage, changes: readonly KeyChange[]): Promise<{ written: Promise<void> }>
  /**
   * Marks a message without an event as processed. If `key` is given, the record that this message is missing is
   * removed in the same commit.
   */
  settled(stanza: MessageStanza, changes: readonly KeyChange[], key?: WAMessageKey): Promise<void>
  /** Stores decrypted parts of a stanza that is not completely processed: they cannot be decrypted a second time. */
  held(stanza: MessageStanza, changes: readonly KeyChange[]): Promise<void>
  dropped(stanza: MessageStanza): Promise<void>
}

/**
 * Thrown if the effects of a stanza could not be written. The network must then deliver the stanza again. These
 * deliveries are not counted as failed attempts.
 */
export class UnwrittenError extends Error {
  constructor(cause: unknown) {
    super('the inbox could not be written', { cause })
    this.name = 'UnwrittenError'
  }
}

export function createInboxCommits(deps: InboxCommitDeps, chain: CommitChain): InboxCommits {
  const { keys, marks, journal, clock, outbox, steps } = deps

  async function commit(changes: readonly KeyChange[], ops: readonly Op[]) {
    steps('inbox:before-commit')
    const written = chain.add([...keys.ops(changes), ...ops])
    keys.follow(changes, written)
    try {
      await written
    } catch (cause) {
      throw new UnwrittenError(cause)
    }
    steps('inbox:after-commit')
  }

  /**
   * `more`: operations besides those of the keys and the marks. `further`: marks of seen messages besides those of the
   * ciphertexts.
   */
  async function settle(stanza: MessageStanza, changes: readonly KeyChange[], more: readonly Op[], further: readonly Mark[]) {
    const done = [...stanza.marks, ...further]
    const isHeld = journal.has(stanza.id)
    const gone = isHeld ? [journal.remove(stanza.id)] : []
    const written = commit(changes, [...marks.ops(done), ...more, ...gone])
    marks.follow(done, written)
    await written
    if (isHeld) journal.applied(stanza.id, null)
  }

  return {
    async message(stanza, message, changes) {
      const names = messageMarks(message.key)
      const isNew = !names.some(marks.has)
      const made = isNew ? await deps.translate(message) : 'again'
      const appended = isEvent(made) ? outbox.append(made) : null
      const hasContent = Object.keys(message.message ?? {}).length > 0 || message.unknownField != null
      const alongside = isNew ? await deps.alongside(message) : []
      const waited = hasContent ? deps.arrived(message.key) : null
      const more = [...(appended?.ops ?? []), ...(waited?.ops ?? []), ...alongside]
      const settled = settle(stanza, changes, more, hasContent ? names : [])
      if (isNew && hasContent) deps.remember(message)
      const written = settled.then(() => {
        waited?.applied()
        if (appended) outbox.committed(appended.eventId)
        if (!isEvent(made)) deps.unreported(made)
        if (isNew && hasContent) deps.onMessage(message)
      })
      // The confirmation of the message waits for `written`. This handler prevents an unhandled rejection until then.
      written.catch(() => {})
      return { written }
    },

    async settled(stanza, changes, key) {
      const waited = key && deps.arrived(key)
      await settle(stanza, changes, waited?.ops ?? [], [])
      waited?.applied()
    },

    async held(stanza, changes) {
      const { node, id, opened, isPeer } = stanza
      const record: JournalRecord = {
        node: nodeText(node),
        parts: Object.fromEntries([...opened].map(([index, plaintext]) => [index, Buffer.from(plaintext).toString('base64')])),
        isPeer,
        attempts: 0,
        at: clock.now(),
      }
      await commit(changes, [journal.put(id, record)])
      journal.applied(id, record)
    },

    async dropped({ id }) {
      if (!journal.has(id)) return
      await commit([], [journal.remove(id)])
      journal.applied(id, null)
    },
  }
}
