/**
 * Stanzas that are opened but not finished: one whose other part is still missing (a sender key came, the message under it did not), and
 * peer messages of the own phone, whose effects follow after the library has taken them. Their plaintext can be returned again without its
 * key, which has advanced. INBOUND.md, 2.2 to 2.6.
 */
import { type BinaryNode, BufferJSON } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import * as v from 'valibot'
import { type Clock, DAY } from '../../../../src/domain/clock.ts'
import type { Op, StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import { removeAll, removeThese } from '../../../../src/storage/remove-all.ts'
import { type Repository, repository } from '../../../../src/storage/repository.ts'
import type { Sealer } from '../../../../src/storage/seal.ts'
import { ciphertextsIn } from '../../wire/message-stanza.ts'
import { ciphertextMark, type Mark } from './seen-marks.ts'

const JournalRecord = v.object({
  /** The stanza as BufferJSON. */
  node: v.string(),
  /** Plaintext by index of the `<enc>` part, base64. */
  parts: v.record(v.string(), v.string()),
  isPeer: v.boolean(),
  /** How often it was given to the library again. */
  attempts: v.number(),
  at: v.number(),
})
export type JournalRecord = v.InferOutput<typeof JournalRecord>

/**
 * After this many replays that failed or ended the thread a record is poison: it is put aside, so that it cannot end the thread at every start.
 */
export const MAX_REPLAYS = 5

/** The network logs a device out that was away for 14 days: nothing older is delivered again, or asked for. */
const MAX_AGE = 14 * DAY

export interface Journal {
  /** Reads the stored records. Those that are too old are removed, put aside or not, here and before every replay. */
  load(): Promise<void>
  /** Removes every record, put aside or not: they go with the device that they were sent to. */
  forget(): Promise<void>
  /** The plaintext of a part that was opened before, or undefined. */
  replay(ciphertext: Mark): Uint8Array | undefined
  put(id: string, record: JournalRecord): Op
  remove(id: string): Op
  /** Memory follows the disk: call it after the commit that carries the op. */
  applied(id: string, record: JournalRecord | null): void
  has(id: string): boolean
  /**
   * Peer messages to give to the library again, oldest first. Counts the attempt durably before it hands them out. `poisonous` is called with each
   * that had its attempts, before it is put aside.
   */
  replayPeers(poisonous?: (node: BinaryNode) => Promise<void>): Promise<BinaryNode[]>
  /** It is of no use, and is kept beside the journal for whoever looks into it. */
  setAside(id: string): Promise<void>
  /** The attempt of this one failed, and counts. */
  failed(id: string): void
  /** The connection has ended, and the attempts under way with it: that is none of their doing. The next attempt is counted in their place. */
  interrupted(): void
}

export const nodeText = (node: BinaryNode) => JSON.stringify(node, BufferJSON.replacer)
const nodeOf = (text: string) => JSON.parse(text, BufferJSON.reviver) as BinaryNode

export interface JournalDeps {
  instance: string
  store: StateStore
  sealer: Sealer
  clock: Clock
  log: Pick<Logger, 'error'>
}

export function createJournal({ instance, store, sealer, clock, log }: JournalDeps): Journal {
  const records: Repository<JournalRecord> = repository({
    name: 'inbox journal',
    schema: JournalRecord,
    version: 1,
    sealed: sealer,
  })
  const open = new Map<string, JournalRecord>()
  /** Handed out again for the connection that stands, and neither done nor failed. */
  const replayed = new Set<string>()
  const plaintexts = new Map<Mark, Uint8Array>()
  const key = (id: string) => keys.journal(instance, id)

  function forget(record: JournalRecord | undefined) {
    if (record) for (const ciphertext of ciphertextsIn(nodeOf(record.node))) plaintexts.delete(ciphertextMark(ciphertext))
  }

  function applied(id: string, record: JournalRecord | null) {
    forget(open.get(id))
    open.delete(id)
    if (!record) return void replayed.delete(id)
    const ciphertexts = ciphertextsIn(nodeOf(record.node))
    open.set(id, record)
    for (const [index, plaintext] of Object.entries(record.parts)) {
      const ciphertext = ciphertexts[Number(index)]
      if (ciphertext) plaintexts.set(ciphertextMark(ciphertext), Buffer.from(plaintext, 'base64'))
    }
  }

  /** An unreadable record keeps its place for a repair by hand. Nothing waits for it: its message is not opened again. */
  const onUnreadable = (error: unknown) => log.error({ err: error }, 'a stored inbox record could not be decoded; it was skipped')

  async function setAside(id: string, record: JournalRecord) {
    await store.commit({ ops: [records.remove(key(id)), records.encode(keys.deadLetter(instance, id), record)] })
    applied(id, null)
  }

  async function expire() {
    const oldest = clock.now() - MAX_AGE
    const waiting = [...open].filter(([, { at }]) => at < oldest).map(([id]) => id)
    const ops = waiting.map((id): Op => [key(id), null])
    for await (const { key: at, value } of records.list(store, keys.deadLetters(instance), { onUnreadable }))
      if (value.at < oldest) ops.push([at, null])
    await removeThese(store, ops)
    for (const id of waiting) applied(id, null)
  }

  return {
    applied,
    async load() {
      const prefix = keys.journals(instance)
      for await (const { key: at, value } of records.list(store, prefix, { onUnreadable })) {
        try {
          applied(at.slice(prefix.length), value)
        } catch (error) {
          onUnreadable(error)
        }
      }
      await expire()
    },
    async forget() {
      for (const prefix of [keys.journals(instance), keys.deadLetters(instance)]) await removeAll(store, prefix)
      open.clear()
      plaintexts.clear()
      replayed.clear()
    },
    replay: (ciphertext) => plaintexts.get(ciphertext),
    put: (id, record) => records.encode(key(id), record),
    remove: (id) => records.remove(key(id)),
    has: (id) => open.has(id),
    async setAside(id) {
      const record = open.get(id)
      if (record) await setAside(id, record)
    },
    async replayPeers(poisonous = async () => {}) {
      await expire()
      const peers = [...open].filter(([, record]) => record.isPeer).sort(([, a], [, b]) => a.at - b.at)
      const nodes: BinaryNode[] = []
      for (const [id, record] of peers) {
        const attempts = record.attempts + 1
        if (attempts > MAX_REPLAYS) {
          await poisonous(nodeOf(record.node))
          await setAside(id, record)
          log.error(
            { attempts: record.attempts },
            "a message from the account's own phone failed after several logins; it is set aside",
          )
          continue
        }
        const counted = { ...record, attempts }
        await store.commit({ ops: [records.encode(key(id), counted)] })
        applied(id, counted)
        replayed.add(id)
        nodes.push(nodeOf(record.node))
      }
      return nodes
    },
    failed: (id) => void replayed.delete(id),
    interrupted() {
      for (const id of replayed) {
        const record = open.get(id)
        if (record) open.set(id, { ...record, attempts: record.attempts - 1 })
      }
      replayed.clear()
    },
  }
}
