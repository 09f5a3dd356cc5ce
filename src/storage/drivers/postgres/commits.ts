import { StorageFailure } from '../../../domain/storage-failure.ts'
import type { Op } from '../../contract.ts'
import type { OpenOptions } from '../../store-backend.ts'
import type { Guard, HomeChanges } from './fenced-commit.ts'
import type { Work } from './writer.ts'

/** Bytes after which no further batch is added to a commit. */
const GROUP_BYTES = 4 * 1_024 * 1_024
/**
 * Maximum number of bytes that may wait for the database in one thread, unless a single batch is larger. Further
 * batches are refused, so that an outage does not use up the memory.
 */
const WAITING_BYTES = 64 * 1_024 * 1_024
/** Bytes that are added for each operation, so that the number of short operations is limited too. */
const OP_BYTES = 100

/** Operations that are committed together, with a condition or with changes of homes, but never with both. */
type Batch = { ops: readonly Op[] } & (
  | { guard?: Guard | undefined; homes?: undefined }
  | { guard?: undefined; homes: HomeChanges }
)

interface Waiting {
  batch: Batch
  bytes: number
  until: number
  resolve(isStored: boolean): void
  reject(error: unknown): void
}

const homesIn = ({ homes: { claims = [], releases = [], removals = [] } = {} }: Batch): string[] => [
  ...claims,
  ...releases.map(({ instance }) => instance),
  ...removals,
]

/**
 * Merges the home changes of all batches. They are sorted by instance, so that all services lock rows in the same
 * order.
 */
function mergedHomes(batches: readonly Batch[]): HomeChanges | undefined {
  const changes = batches.flatMap(({ homes }) => homes ?? [])
  if (changes.length === 0) return undefined
  const of = (kind: Exclude<keyof HomeChanges, 'releases'>) => changes.flatMap((each) => each[kind] ?? []).sort()
  const releases = changes.flatMap((each) => each.releases ?? []).sort((one, other) => (one.instance < other.instance ? -1 : 1))
  return { claims: of('claims'), anybodys: of('anybodys'), releases, removals: of('removals') }
}

const sizeOf = (ops: readonly Op[]) =>
  ops.reduce((sum, [key, value]) => sum + OP_BYTES + key.length + (value?.byteLength ?? 0), 0)

/**
 * Collects batches while a commit runs, and writes those that wait in one commit. A batch with a condition is a commit
 * by itself. A commit changes the home of an instance at most once (`HomeChanges`).
 */
export function createCommits(
  write: (work: Work) => Promise<boolean>,
  { patienceMs, onCommit }: { patienceMs: number; onCommit: OpenOptions['onCommit'] },
) {
  const waiting: Waiting[] = []
  let bytesWaiting = 0
  let running: Promise<void> | undefined
  let isClosed = false
  let impatience: NodeJS.Timeout | undefined

  function next(): Waiting[] {
    const group = waiting.splice(0, 1)
    if (group[0]!.batch.guard) return group
    let bytes = group[0]!.bytes
    let more = 0
    const homes = new Set(homesIn(group[0]!.batch))
    for (; more < waiting.length && bytes < GROUP_BYTES; more++) {
      const { batch, bytes: length } = waiting[more]!
      const own = homesIn(batch)
      if (batch.guard || own.some((each) => homes.has(each))) break
      for (const each of own) homes.add(each)
      bytes += length
    }
    return [...group, ...waiting.splice(0, more)]
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const group = next()
      const { guard } = group[0]!.batch
      try {
        const batches = group.map(({ batch }) => batch)
        const ops = batches.flatMap((batch) => batch.ops)
        const isStored = await write({ guard, homes: mergedHomes(batches), ops, until: group[0]!.until })
        onCommit?.(true)
        for (const { resolve } of group) resolve(isStored)
      } catch (error) {
        onCommit?.(false)
        for (const { reject } of group) reject(error)
      }
      bytesWaiting -= group.reduce((sum, { bytes }) => sum + bytes, 0)
    }
    running = undefined
    clearTimeout(impatience)
    impatience = undefined
  }

  /**
   * Refuses batches that have waited for too long. They were not sent, so it is certain that nothing of them is stored.
   */
  function refuseImpatient() {
    const now = performance.now()
    for (const late of waiting.filter(({ until }) => until <= now)) {
      waiting.splice(waiting.indexOf(late), 1)
      bytesWaiting -= late.bytes
      late.reject(new StorageFailure('The database did not answer in time, so nothing was stored.'))
    }
    impatience = setTimeout(refuseImpatient, patienceMs / 10)
  }

  return {
    /** Adds a batch. It must be sent before `until`, a value of `performance.now`. */
    add(batch: Batch, until = performance.now() + patienceMs): Promise<boolean> {
      const bytes = sizeOf(batch.ops)
      if (isClosed) throw new StorageFailure('The store is closed, so nothing was stored.')
      if (bytesWaiting > 0 && bytesWaiting + bytes > WAITING_BYTES) {
        throw new StorageFailure('Too many records already wait for the database, so nothing was stored.')
      }
      bytesWaiting += bytes
      return new Promise((resolve, reject) => {
        waiting.push({ batch, bytes, until, resolve, reject })
        running ??= Promise.resolve().then(flush)
        impatience ??= setTimeout(refuseImpatient, patienceMs / 10)
      })
    },
    async close() {
      isClosed = true
      await running
    },
  }
}
