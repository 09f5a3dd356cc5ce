/**
 * Queues a send only once, even if it is repeated with the same idempotency key within 24 h. The acknowledgement is in
 * the commit of the queue item, so that a crash cannot separate the two.
 */
import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import * as v from 'valibot'
import { type Clock, DAY } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { REMOVED_AT_ONCE } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import { createRetention } from '../../../src/storage/retention.ts'
import type { Sealer } from '../../../src/storage/sealer.ts'

const MAX_AGE = DAY

const Acknowledged = v.object({
  fingerprint: v.string(),
  svcId: v.string(),
  messageId: v.string(),
  at: v.number(),
})

export interface Acknowledgement {
  svcId: string
  messageId: string
}

export interface Idempotency {
  /**
   * Returns the acknowledgement that is stored for this key. If there is none, calls `queue`, which must commit the
   * operations of `opsOf` together with its item. Rejects with `invalid_request` if the key was used for another
   * request.
   */
  once(
    key: string,
    fingerprint: string,
    queue: (opsOf: (made: Acknowledgement) => Op[]) => Promise<Acknowledgement>,
  ): Promise<Acknowledgement>
  start(): void
  /** Stops the removal of old records, and resolves when no removal is running. */
  stop(): Promise<void>
}

export interface IdempotencyOptions {
  instanceId: string
  store: StateStore
  sealer: Sealer
  clock: Clock
  log: Pick<Logger, 'error'>
}

export function createIdempotency({ instanceId, store, sealer, clock, log }: IdempotencyOptions): Idempotency {
  const records = repository({ name: 'acknowledgement', schema: Acknowledged, version: 1, sealed: sealer })
  /** Requests in progress, by key. A second request with the same key waits for the result of the first. */
  const running = new Map<string, Promise<unknown>>()
  /** Keys that were used during the current removal of old records, so their records are kept. */
  const used = new Set<string>()
  let isSweeping = false
  const retention = createRetention(log)
  retention.covers(async (isStopped) => {
    isSweeping = true
    await sweep(isStopped).finally(() => {
      isSweeping = false
    })
  }, 'old answers to requests with an Idempotency-Key could not be removed')

  const isOld = (at: number) => clock.now() - at >= MAX_AGE
  /**
   * Whether the record was made while the clock was ahead. The time of such a record is set to now, because
   * otherwise the record would be kept too long.
   */
  const isAhead = (at: number) => at > clock.now()

  async function sweep(isStopped: () => boolean) {
    let ops: Op[] = []
    async function write() {
      const still = ops.filter(([key]) => !used.has(key))
      ops = []
      if (still.length > 0) await store.commit({ ops: still })
    }
    used.clear()
    for (const key of running.keys()) used.add(key)
    const onUnreadable = (error: unknown) =>
      log.error({ err: error }, 'a stored answer to a request with an Idempotency-Key could not be decoded; it was skipped')
    for await (const { key, value } of records.list(store, keys.idempotencies(instanceId), { onUnreadable })) {
      if (isStopped()) return
      if (isOld(value.at)) ops.push(records.remove(key))
      else if (isAhead(value.at)) ops.push(records.encode(key, { ...value, at: clock.now() }))
      if (ops.length >= REMOVED_AT_ONCE) await write()
    }
    await write()
    used.clear()
  }

  async function answer(recordKey: string, fingerprint: string, queue: Parameters<Idempotency['once']>[2]) {
    const known = await records.get(store, recordKey)
    if (!known || isOld(known.at)) return queue((made) => [records.encode(recordKey, { fingerprint, ...made, at: clock.now() })])
    if (known.fingerprint !== fingerprint)
      throw Failure.invalid({ path: 'Idempotency-Key', message: 'was already used for a different request within 24 hours' })
    return { svcId: known.svcId, messageId: known.messageId }
  }

  return {
    async once(key, fingerprint, queue) {
      const recordKey = keys.idempotency(instanceId, sealer.blindOnce(createHash('sha256').update(key).digest('hex')))
      while (running.has(recordKey)) await running.get(recordKey)!.catch(() => undefined)
      const answered = answer(recordKey, fingerprint, queue)
      running.set(recordKey, answered)
      if (isSweeping) used.add(recordKey)
      try {
        return await answered
      } finally {
        running.delete(recordKey)
      }
    },
    start: retention.start,
    stop: retention.stop,
  }
}

export function fingerprintOf(operation: string, input: unknown): string {
  const hash = createHash('sha256').update(`${operation}\n`)
  const add = (value: unknown): void => {
    if (value instanceof Uint8Array) hash.update(`bytes ${value.byteLength}:`).update(value)
    else if (Array.isArray(value)) {
      hash.update(`[${value.length}`)
      for (const entry of value) add(entry)
    } else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
      hash.update(`{${entries.length}`)
      for (const [name, inner] of entries.sort(([one], [other]) => (one < other ? -1 : 1))) {
        hash.update(JSON.stringify(name))
        add(inner)
      }
    } else hash.update(JSON.stringify(value) ?? 'undefined')
  }
  add(input)
  return hash.digest('base64url')
}
