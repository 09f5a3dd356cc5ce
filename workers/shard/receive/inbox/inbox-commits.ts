/**
 * What is committed when of what a socket brings: the advanced key always in one commit with what its plaintext means. Memory (marks,
 * journal, the key store's cache) follows the disk.
 */
import type { WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import type { Clock } from '../../../../src/domain/clock.ts'
import type { ReceivedEvent } from '../../../../src/features/webhook-payloads.ts'
import type { Op, StateStore } from '../../../../src/storage/contract.ts'
import type { KeyChange, KeyStore } from '../../keys/key-store.ts'
import { type Journal, type JournalRecord, nodeText } from './journal.ts'
import { ciphertextMark, type Mark, type Marks, messageMarks } from './seen-marks.ts'
import type { MessageStanza, StanzaMessage } from './stanza-message.ts'

export interface InboxCommitDeps {
  store: StateStore
  keys: KeyStore
  marks: Marks
  journal: Journal
  clock: Clock
  outbox: { append(event: ReceivedEvent): { eventId: string; ops: Op[] }; committed(eventId: string): void }
  /** The finished event of a message, or null when it is not to be reported. */
  translate(message: WAMessage): Promise<ReceivedEvent | null>
  /** What else belongs into the commit of a readable message: it is not waited for any more. Call `applied` after the commit. */
  arrived(key: WAMessageKey): { ops: Op[]; applied(): void }
  /** What else is kept of a new message, for its commit. */
  alongside(message: WAMessage): Promise<readonly Op[]>
  /** Called with every readable message after its commit: recent cache, counters. */
  onMessage(message: WAMessage): void
  killAt(step: string): void
}

export interface InboxCommits {
  /** Its last part is open: the event, and all that the message means. */
  message(stanza: MessageStanza, message: StanzaMessage, changes: readonly KeyChange[]): Promise<void>
  /** It has meant what it can mean: only that it is done, and not opened again. */
  settled(stanza: MessageStanza, changes: readonly KeyChange[]): Promise<void>
  /** Something is still to follow: its parts so far, to be answered again without their keys. */
  held(stanza: MessageStanza, changes: readonly KeyChange[]): Promise<void>
  /** What was held of it is of no use any more. */
  dropped(stanza: MessageStanza): Promise<void>
}

/** What a stanza means is not on disk: it has to come again, however often. */
export class UnwrittenError extends Error {
  constructor(cause: unknown) {
    super('the inbox could not be written', { cause })
    this.name = 'UnwrittenError'
  }
}

export function createInboxCommits(deps: InboxCommitDeps): InboxCommits {
  const { store, keys, marks, journal, clock, outbox, killAt } = deps

  async function commit(changes: readonly KeyChange[], ops: readonly Op[]) {
    killAt('inbox:before-commit')
    try {
      await store.commit({ ops: [...keys.ops(changes), ...ops] })
    } catch (cause) {
      throw new UnwrittenError(cause)
    }
    keys.applied(changes)
    killAt('inbox:after-commit')
  }

  /** `more` of what it means, and under which further marks. */
  async function settle(stanza: MessageStanza, changes: readonly KeyChange[], more: readonly Op[], further: readonly Mark[]) {
    const done = [...stanza.ciphertexts.map(ciphertextMark), ...further]
    const gone = journal.has(stanza.id) ? [journal.remove(stanza.id)] : []
    await commit(changes, [...marks.ops(done), ...more, ...gone])
    marks.applied(done)
    journal.applied(stanza.id, null)
  }

  return {
    async message(stanza, message, changes) {
      const names = messageMarks(message.key)
      const isNew = !names.some(marks.has)
      const event = isNew ? await deps.translate(message) : null
      const appended = event ? outbox.append(event) : null
      const hasContent = Object.keys(message.message ?? {}).length > 0 || message.unknownField != null
      const alongside = isNew ? await deps.alongside(message) : []
      const waited = hasContent ? deps.arrived(message.key) : null
      const more = [...(appended?.ops ?? []), ...(waited?.ops ?? []), ...alongside]
      await settle(stanza, changes, more, hasContent ? names : [])
      waited?.applied()
      if (appended) outbox.committed(appended.eventId)
      if (isNew && hasContent) deps.onMessage(message)
    },

    settled: (stanza, changes) => settle(stanza, changes, [], []),

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
      await store.commit({ ops: [journal.remove(id)] })
      journal.applied(id, null)
    },
  }
}
