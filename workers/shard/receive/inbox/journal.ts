/**
 * Stores the plaintext of stanzas that are decrypted but not completely processed, because they cannot be decrypted
 * again.
 */
import { type BinaryNode, BufferJSON } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import * as v from 'valibot'
import { type Clock, DAY } from '../../../../src/domain/clock.ts'
import type { Op, StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import { removeAll, removeThese } from '../../../../src/storage/remove-all.ts'
import { type Repository, repository } from '../../../../src/storage/repository.ts'
import type { Sealer } from '../../../../src/storage/sealer.ts'
import { ciphertextMark, type Mark } from '../../messages/seen-marks.ts'
import { ciphertextsIn } from '../../wire/message-stanza.ts'

const JournalRecord = v.object({
  node: v.string(),
  /** Plaintext in base64, by the index of its `<enc>` part. */
  parts: v.record(v.string(), v.string()),
  isPeer: v.boolean(),
  attempts: v.number(),
  at: v.number(),
})
export type JournalRecord = v.InferOutput<typeof JournalRecord>

/**
 * Maximum number of attempts to process a record again. Then the record is moved out of the journal, because it may
 * end the thread at every start.
 */
export const MAX_REPLAYS = 5

/**
 * Maximum age of a record in ms. The network logs out a device that was offline for about 14 days, so older messages
 * are not expected again.
 */
const MAX_AGE = 14 * DAY

export interface Journal {
  load(): Promise<void>
  forget(): Promise<void>
  replay(ciphertext: Mark): Uint8Array | undefined
  put(id: string, record: JournalRecord): Op
  remove(id: string): Op
  applied(id: string, record: JournalRecord | null): void
  has(id: string): boolean
  /**
   * Returns the messages to process again, oldest first. `poisonous` is called with a message that has used all its
   * attempts, before it leaves the journal.
   */
  replayPeers(poisonous?: (node: BinaryNode) => Promise<void>): Promise<BinaryNode[]>
  /** Removes an unusable record from the journal, and keeps it elsewhere for developers. */
  setAside(id: string): Promise<void>
  /** Marks the current attempt of this record as failed, so that `interrupted` does not take back its count. */
  failed(id: string): void
  /**
   * Takes back the counts of the running attempts, only in memory. Called when the connection has ended, because these
   * attempts did not fail.
   */
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

  /** Logs an unreadable record, which is kept for an operator. */
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
            "a message from the account's own phone failed after several logins; it is stored but not tried again",
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
