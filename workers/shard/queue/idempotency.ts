/**
 * A send that is repeated under the same key within 24 h is queued once: its repeats get the acknowledgement of the first. The
 * acknowledgement is written in the commit of the queue item, so that no crash can separate the two.
 */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { type Clock, DAY, HOUR } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Sealer } from '../../../src/storage/seal.ts'

const MAX_AGE = DAY
const SWEEP_EVERY = HOUR

const Acknowledged = v.object({
  /** Of operation and body. */
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
  /** `queue` gets what must be in the commit of its item. Throws `invalid_request` when the key was used for something else. */
  once(
    key: string,
    fingerprint: string,
    queue: (opsOf: (made: Acknowledgement) => Op[]) => Promise<Acknowledgement>,
  ): Promise<Acknowledgement>
  start(): void
  stop(): void
}

export interface IdempotencyOptions {
  instanceId: string
  store: StateStore
  sealer: Sealer
  clock: Clock
  onError(error: unknown): void
}

export function createIdempotency({ instanceId, store, sealer, clock, onError }: IdempotencyOptions): Idempotency {
  const records = repository({ name: 'acknowledgement', schema: Acknowledged, version: 1, sealed: sealer })
  /** Of two at the same time the second waits for the result of the first. */
  const running = new Map<string, Promise<unknown>>()
  let timer: NodeJS.Timeout | undefined

  const isOld = (at: number) => clock.now() - at >= MAX_AGE
  /** By a clock that was ahead; such a time counts as now, and would stay for as long as the clock was ahead. */
  const isAhead = (at: number) => at > clock.now()

  async function sweep() {
    const ops: Op[] = []
    for await (const { key, value } of records.list(store, keys.idempotencies(instanceId)))
      if (isOld(value.at)) ops.push(records.remove(key))
      else if (isAhead(value.at)) ops.push(records.encode(key, { ...value, at: clock.now() }))
    if (ops.length > 0) await store.commit({ ops })
  }

  async function answer(recordKey: string, fingerprint: string, queue: Parameters<Idempotency['once']>[2]) {
    const known = await records.get(store, recordKey)
    if (!known || isOld(known.at)) return queue((made) => [records.encode(recordKey, { fingerprint, ...made, at: clock.now() })])
    if (known.fingerprint !== fingerprint)
      throw Failure.invalid({ path: 'Idempotency-Key', message: 'was used for another request within 24 hours' })
    return { svcId: known.svcId, messageId: known.messageId }
  }

  return {
    async once(key, fingerprint, queue) {
      const recordKey = keys.idempotency(instanceId, sealer.blindOnce(createHash('sha256').update(key).digest('hex')))
      // Its failure is its caller's.
      while (running.has(recordKey)) await running.get(recordKey)!.catch(() => undefined)
      const answered = answer(recordKey, fingerprint, queue)
      running.set(recordKey, answered)
      try {
        return await answered
      } finally {
        running.delete(recordKey)
      }
    },
    start() {
      timer = setInterval(() => void sweep().catch(onError), SWEEP_EVERY)
      timer.unref()
      sweep().catch(onError)
    },
    stop() {
      clearInterval(timer)
    },
  }
}

/** Equal for the same operation and body, in any order of the body's fields. */
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
