/**
 * Recognizes redelivered messages by hashes: of each ciphertext, and of the id, chat and author. The hashes are kept in
 * two generations of a fixed size, which have room for far more messages than the offline backlogs in our trials.
 */
import type { WAMessageKey } from '@whiskeysockets/baileys'
import { createKeyCounts } from '../../../src/lib/key-counts.ts'
import { sha256 } from '../../../src/lib/sha256.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'
import { bare } from '../wire/jid.ts'
import { FACETS } from './facets.ts'

/** Separator of the marks in a record; marks do not contain it. */
const BETWEEN = ' '
const DIGITS = 12

export type Mark = string & { readonly brand: 'mark' }

const hash = (prefix: string, data: Uint8Array | string) => (prefix + sha256(data, 'base64url').slice(0, 22)) as Mark

export const ciphertextMark = (ciphertext: Uint8Array) => hash('c', ciphertext)
export const messageMark = (key: { id: string; chat: string; author: string }) => hash('k', `${key.id}|${key.chat}|${key.author}`)

/**
 * Returns one hash for each jid of the author, or of the chat if the message has no participant. A message can arrive
 * again under the other jid (number or LID).
 */
export function messageMarks({ id, remoteJid, remoteJidAlt, participant, participantAlt, fromMe }: WAMessageKey): Mark[] {
  const chat = remoteJid ?? ''
  // For a participant outside of groups, Baileys puts the author's other jid into `remoteJidAlt`.
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
  /** Returns the operations that store the marks. Call `follow` when their commit has begun, or `applied` after it. */
  ops(marks: readonly Mark[]): Op[]
  /** Counts the marks as seen from now on. If `written` rejects, they no longer count. */
  follow(marks: readonly Mark[], written: Promise<void>): void
  applied(marks: readonly Mark[]): void
  /**
   * Drops the older generation when the newer one is full. If a commit fails, this is tried again at the next message.
   */
  rotate(): Promise<void>
  forget(): Promise<void>
}

/**
 * A mark as it is stored: one character for its kind, followed by a hash. The marks of one message are in one record.
 */
type Stored = string & { readonly brand: 'stored mark' }

/** Maximum number of cached marks. The marks of one message are looked up a few times in a row. */
const MAX_REMEMBERED = 32

export function createSeenMarks(instance: string, store: StateStore, sealer: Sealer): Marks {
  let current = 0
  let isRotating = false
  const generations: [Set<Stored>, Set<Stored>] = [new Set(), new Set()]
  const recent = new Map<Mark, Stored>()
  /** Number of the newest record. Ascending numbers share the pages of the store. */
  let newest = 0
  const other = () => 1 - current
  /** Number of commits that are writing each mark. */
  const followed = createKeyCounts<Stored>()

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
      // In the older format, each mark is a separate record, whose value has one byte.
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
      return generations[0].has(name) || generations[1].has(name) || followed.of(name) > 0
    },
    ops: (marks) => (marks.length === 0 ? [] : [record(marks)]),
    follow(marks, written) {
      const names = marks.map(stored)
      for (const name of names) followed.add(name)
      const end = () => {
        for (const name of names) followed.remove(name)
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
        // Marks that were being written during an earlier rotation are missing in memory, so the records to drop are
        // listed from disk.
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
