/**
 * What is done, so that a redelivery is recognised: a hash per ciphertext and per message. Kept in two generations of a fixed size, so
 * that the set neither grows nor forgets what is recent; the network redelivers soon or never.
 */
import { createHash } from 'node:crypto'
import type { WAMessageKey } from '@whiskeysockets/baileys'
import type { Op, StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/keys.ts'
import type { Sealer } from '../../../../src/storage/seal.ts'
import { bare } from '../../wire/jid.ts'

/** Marks per generation, up to three a message. Two of them cover the largest offline backlog the trials saw by far (INBOUND.md, 2.8). */
const GENERATION_SIZE = 3_072
const PRESENT = Uint8Array.of(1)

export type Mark = string & { readonly brand: 'mark' }

const hash = (prefix: string, data: Uint8Array | string) =>
  (prefix + createHash('sha256').update(data).digest('base64url').slice(0, 22)) as Mark

export const ciphertextMark = (ciphertext: Uint8Array) => hash('c', ciphertext)
export const messageMark = (key: { id: string; chat: string; author: string }) => hash('k', `${key.id}|${key.chat}|${key.author}`)

/**
 * The marks of a message, one under each name its key has for the chat and for the author: a person is addressed by number or by LID, and
 * a message can come again under the other one. One event per message, also when a retry brings it again in another ciphertext.
 */
export function messageMarks({ id, remoteJid, remoteJidAlt, participant, participantAlt, fromMe }: WAMessageKey): Mark[] {
  const chat = remoteJid ?? ''
  // Outside of groups the library puts the author's other name beside the chat's.
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
  /** Storage ops that set these marks; call `applied` after their commit. */
  ops(marks: readonly Mark[]): Op[]
  applied(marks: readonly Mark[]): void
  /** Drops the older generation when the newer one is full. Its own commit: losing it costs nothing but a try after the next message. */
  rotate(): Promise<void>
  /** All of them, in storage; `forgotten` after the commit. */
  eraseOps(): Promise<Op[]>
  forgotten(): void
}

/** A mark as it is stored and remembered: blind, behind the letter of its kind. */
type Stored = string & { readonly brand: 'stored mark' }

/** A message asks for its marks a few times, one right after the other. */
const MAX_REMEMBERED = 32

export function createMarks(instance: string, store: StateStore, sealer: Sealer): Marks {
  let current = 0
  let isRotating = false
  const generations: [Set<Stored>, Set<Stored>] = [new Set(), new Set()]
  const recent = new Map<Mark, Stored>()
  const other = () => 1 - current

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
    for await (const [key] of store.range(prefix)) generations[generation as 0 | 1].add(key.slice(prefix.length) as Stored)
  }

  return {
    async load() {
      await Promise.all([readGeneration(0), readGeneration(1)])
      current = (await store.get(keys.markGeneration(instance)))?.[0] ?? 0
    },
    has: (mark) => generations[0].has(stored(mark)) || generations[1].has(stored(mark)),
    ops: (marks) => marks.map((mark) => [keys.mark(instance, current, stored(mark)), PRESENT] as const),
    applied(marks) {
      for (const mark of marks) generations[current as 0 | 1].add(stored(mark))
    },
    async eraseOps() {
      const ops: Op[] = [[keys.markGeneration(instance), null]]
      for (const generation of [0, 1])
        for await (const [key] of store.range(keys.marks(instance, generation))) ops.push([key, null])
      return ops
    },
    forgotten() {
      for (const generation of generations) generation.clear()
      current = 0
    },
    async rotate() {
      if (isRotating || generations[current as 0 | 1].size < GENERATION_SIZE) return
      isRotating = true
      try {
        const next = other()
        // What is on the disk counts: a mark that was on its way while an earlier rotation ended is not in memory under this generation.
        const ops: Op[] = [[keys.markGeneration(instance), Uint8Array.of(next)]]
        for await (const [key] of store.range(keys.marks(instance, next))) ops.push([key, null])
        await store.commit({ ops })
        generations[next as 0 | 1] = new Set()
        current = next
      } finally {
        isRotating = false
      }
    },
  }
}
