/**
 * Keeps seen marks, which identify redelivered messages: a hash per ciphertext and per message. They are kept in two generations of a fixed size. So
 * the number of marks is limited, and the most recent ones are kept. This is enough, because the network redelivers a message within a short time or
 * never.
 */
import type { WAMessageKey } from '@whiskeysockets/baileys'
import { sha256 } from '../../../src/lib/sha256.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'
import { bare } from '../wire/jid.ts'
import { FACETS } from './facets.ts'

/** Separator of the marks in a record; marks do not contain it. */
const BETWEEN = ' '
/** The numbers of records are padded with zeros to this many digits, so that they sort as text. */
const DIGITS = 12

export type Mark = string & { readonly brand: 'mark' }

const hash = (prefix: string, data: Uint8Array | string) => (prefix + sha256(data, 'base64url').slice(0, 22)) as Mark

export const ciphertextMark = (ciphertext: Uint8Array) => hash('c', ciphertext)
export const messageMark = (key: { id: string; chat: string; author: string }) => hash('k', `${key.id}|${key.chat}|${key.author}`)

/**
 * Returns the seen marks of a message: one for each jid of its chat and of its author that the key contains. The reason is that a person is addressed
 * by number or by LID, and a message can arrive again under the other jid. The marks ensure that there is one event per message, even if a retry
 * delivers the message again in another ciphertext.
 */
export function messageMarks({ id, remoteJid, remoteJidAlt, participant, participantAlt, fromMe }: WAMessageKey): Mark[] {
  const chat = remoteJid ?? ''
  // For a participant outside of groups, the library puts the author's other jid into `remoteJidAlt`, the field for the chat's other jid.
  if (participant) return names(participant, participantAlt ?? remoteJidAlt).map((author) => mark(bare(chat), author))
  return names(chat, remoteJidAlt).map((name) => mark(name, fromMe ? 'me' : ''))

  function mark(name: string, author: string) {
    return messageMark({ id: id ?? '', chat: name, author })
  }
}

const names = (jid: string, alt: string | undefined) => [...new Set([bare(jid), ...(alt ? [bare(alt)] : [])])]

export interface Marks {
  load(): Promise<void>
  has(mark: Mark): boolean
  /** Returns the operations that store these marks. Call `applied` after their commit. */
  ops(marks: readonly Mark[]): Op[]
  /**
   * Reports that these marks are being written. They are set from now on; `applied` is called when `written` resolves, and if it rejects, they are no
   * longer set.
   */
  follow(marks: readonly Mark[], written: Promise<void>): void
  applied(marks: readonly Mark[]): void
  /**
   * Drops the older generation when the newer one is full, in separate commits. If one of these commits fails, the next message causes another
   * attempt, and nothing is lost.
   */
  rotate(): Promise<void>
  /** Removes all marks. */
  forget(): Promise<void>
}

/** Stored form of a seen mark: the character of its kind, followed by the blind name. The marks of one message are in one record. */
type Stored = string & { readonly brand: 'stored mark' }

/** The most stored forms that are cached: the marks of one message are looked up a few times in a row. */
const MAX_REMEMBERED = 32

export function createSeenMarks(instance: string, store: StateStore, sealer: Sealer): Marks {
  let current = 0
  let isRotating = false
  const generations: [Set<Stored>, Set<Stored>] = [new Set(), new Set()]
  const recent = new Map<Mark, Stored>()
  /**
   * Number of the newest record. Numbers ascend, so that records of the same time share the pages of the store; with random names, each record would
   * change a separate page.
   */
  let newest = 0
  const other = () => 1 - current
  /** Marks that are being written, each with the number of commits that write it. */
  const followed = new Map<Stored, number>()

  function stored(mark: Mark): Stored {
    const known = recent.get(mark)
    if (known !== undefined) return known
    const blind = (mark[0] + sealer.blindOnce(mark.slice(1))) as Stored
    if (recent.size >= MAX_REMEMBERED) recent.delete(recent.keys().next().value!)
    recent.set(mark, blind)
    return blind
  }

  async function readGeneration(generation: number) {
    const prefix = keys.marks(instance, generation)
    const marks = generations[generation as 0 | 1]
    for await (const [key, value] of store.range(prefix)) {
      const name = key.slice(prefix.length)
      // In the older format, each mark is a record, and the name of the mark is in the key of the record.
      if (value.byteLength === 1) marks.add(name as Stored)
      else {
        newest = Math.max(newest, Number(name))
        for (const mark of Buffer.from(value).toString('latin1').split(BETWEEN)) marks.add(mark as Stored)
      }
    }
  }

  function record(marks: readonly Mark[]): Op {
    const name = String(++newest).padStart(DIGITS, '0')
    return [keys.mark(instance, current, name), Buffer.from(marks.map(stored).join(BETWEEN), 'latin1')]
  }

  const dropGeneration = (generation: number) => removeAll(store, keys.marks(instance, generation))

  return {
    async load() {
      await Promise.all([readGeneration(0), readGeneration(1)])
      current = (await store.get(keys.markGeneration(instance)))?.[0] ?? 0
    },
    has(mark) {
      const name = stored(mark)
      return generations[0].has(name) || generations[1].has(name) || followed.has(name)
    },
    ops: (marks) => (marks.length === 0 ? [] : [record(marks)]),
    follow(marks, written) {
      const names = marks.map(stored)
      for (const name of names) followed.set(name, (followed.get(name) ?? 0) + 1)
      const end = () => {
        for (const name of names) {
          const left = followed.get(name)! - 1
          if (left > 0) followed.set(name, left)
          else followed.delete(name)
        }
      }
      written.then(() => {
        for (const name of names) generations[current as 0 | 1].add(name)
        end()
      }, end)
    },
    applied(marks) {
      for (const mark of marks) generations[current as 0 | 1].add(stored(mark))
    },
    async forget() {
      for (const generation of [0, 1]) await dropGeneration(generation)
      await store.commit({ ops: [[keys.markGeneration(instance), null]] })
      for (const generation of generations) generation.clear()
      current = 0
    },
    async rotate() {
      if (isRotating || generations[current as 0 | 1].size < FACETS.seen.rows) return
      isRotating = true
      try {
        const next = other()
        // The records of the generation are listed from disk and not from memory: marks that were being written when an earlier rotation ended are
        // missing in memory.
        await dropGeneration(next)
        await store.commit({ ops: [[keys.markGeneration(instance), Uint8Array.of(next)]] })
        generations[next as 0 | 1] = new Set()
        current = next
      } finally {
        isRotating = false
      }
    },
  }
}
