/** The rows of `svc_home`, which name the service that may write the records of an instance. */
import { isUuid } from '../../../lib/is-uuid.ts'
import { createKeyCounts } from '../../../lib/key-counts.ts'
import type { Homes, StoredHome } from '../../homes.ts'
import { uuids } from './arrays.ts'
import { CAN_WRITE, type HomeChanges } from './fenced-commit.ts'
import type { Question } from './link.ts'

/** Maximum number of homes in one batch. A longer statement would delay the commits of all instances. */
const CHANGED_AT_ONCE = 1_000
/**
 * Reads which of the instances have this service as their home. No other service can claim them while this service can
 * write, so the answer stays true for as long as the commits of this service succeed.
 */
const HELD = 'SELECT instance FROM svc_home WHERE writer = $1 AND instance = ANY ($2::uuid[])'
const ALL = `SELECT instance, writer, wanted, writer IS NULL OR NOT ${CAN_WRITE('h.writer')},
  coalesce(taken_over_at > now() - interval '1 day', false) FROM svc_home h`
/** Reads a text that changes whenever a home changes, or a service begins or ceases to be able to write. */
const DIGEST = `SELECT concat_ws(' ', (SELECT sum(hashtextextended(h::text, 0)) FROM svc_home h),
  (SELECT sum(hashtextextended(o.id::text, 0)) FROM svc_writer o WHERE NOT o.is_over))`

/**
 * Maximum number of reads of the homes for one call. They are read again if a change of this service ended during the
 * read.
 */
const MOST_READS = 3

export interface HomesDeps {
  /** Id of the main thread's writer. Undefined in a process that only reads. */
  service: string | undefined
  commit(changes: HomeChanges): Promise<unknown>
  ask(question: Question): Promise<unknown[][]>
}

export function postgresHomes({ service, commit, ask }: HomesDeps): Homes {
  /**
   * The instances that were claimed and not released since. `isGranted` is true if this service has the home, by the
   * last answer of the store.
   */
  const claimed = new Map<string, { isGranted: boolean }>()
  /** Number of changes under way for each instance whose home this service changes. */
  const changing = createKeyCounts()
  /** Number of changes that have ended. */
  let ended = 0
  let known: { digest: unknown; homes: readonly StoredHome[] } = { digest: undefined, homes: [] }

  const isOwn = (instance: string) => claimed.get(instance)?.isGranted === true

  async function during<T>(instances: readonly string[], change: () => Promise<T>): Promise<T> {
    for (const each of instances) changing.add(each)
    try {
      return await change()
    } finally {
      ended++
      for (const each of instances) changing.remove(each)
    }
  }

  async function claimSome(instances: readonly string[], isAnybodys: boolean): Promise<string[]> {
    const entries = new Map(instances.map((each) => [each, claimed.get(each) ?? { isGranted: false }]))
    for (const [instance, entry] of entries) claimed.set(instance, entry)
    await commit({ claims: instances, ...(isAnybodys && { anybodys: instances }) })
    // The result of the commit does not say which claims were granted, so the homes are read.
    return readHeld(entries)
  }

  async function readHeld(entries: ReadonlyMap<string, { isGranted: boolean }>): Promise<string[]> {
    const held = new Set(
      (await ask({ name: 'homes', text: HELD, values: [service, uuids([...entries.keys()])] })).flat() as string[],
    )
    // If a release began in the meantime, it has removed the entry from `claimed`, so this answer no longer counts.
    for (const [instance, entry] of entries) {
      entry.isGranted = held.has(instance)
      if (!entry.isGranted && claimed.get(instance) === entry) claimed.delete(instance)
    }
    return [...held]
  }

  /**
   * Reads again which of the homes this service has, after a release was refused. A refused release has changed
   * nothing.
   */
  async function takeBack(instances: readonly string[]): Promise<void> {
    const left = instances.filter((each) => !claimed.has(each))
    const entries = new Map(left.map((each) => [each, { isGranted: false }]))
    for (const [instance, entry] of entries) claimed.set(instance, entry)
    await readHeld(entries)
  }

  async function releaseAll(instances: readonly string[], wanted: string | undefined): Promise<void> {
    for (const each of instances) claimed.delete(each)
    try {
      for (const some of inPieces(instances)) await commit({ releases: some.map((instance) => ({ instance, wanted })) })
    } catch (error) {
      // If the homes cannot be read either, they do not count as homes of this service until its next claim.
      await takeBack(instances).catch(() => {})
      throw error
    }
  }

  async function readAll(): Promise<readonly StoredHome[]> {
    const [[digest]] = (await ask({ name: 'homes-digest', text: DIGEST })) as [[unknown]]
    // The rows may be newer than the digest. In that case the next call reads them once more.
    if (digest !== known.digest) known = { digest, homes: ((await ask({ text: ALL })) as HomeRow[]).map(homeOf) }
    return known.homes
  }

  return {
    async claim(instances, { isAnybodys = false } = {}) {
      const held = new Set<string>()
      for (const some of inPieces(instances.filter(isUuid)))
        for (const each of await during(some, () => claimSome(some, isAnybodys))) held.add(each)
      return held
    },
    release: (instances, wanted) => during(instances, () => releaseAll(instances, wanted)),
    async remove(instance) {
      claimed.delete(instance)
      await during([instance], () => commit({ removals: [instance] }))
    },
    isOwn,
    own: () => [...claimed.keys()].filter(isOwn),
    isSettledElsewhere: (instance) => !isOwn(instance) && changing.of(instance) === 0,
    async all() {
      for (let reads = 1; ; reads++) {
        const before = ended
        const homes = await readAll()
        if (ended === before || reads >= MOST_READS) return homes
      }
    },
  }
}

type HomeRow = [instance: string, writer: string | null, wanted: string | null, isFree: boolean, isTakenOver: boolean]

const homeOf = ([instance, writer, wanted, isFree, isTakenOver]: HomeRow): StoredHome => ({
  instance,
  writer,
  wanted,
  isFree,
  isTakenOver,
})

const inPieces = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / CHANGED_AT_ONCE) }, (_, index) =>
    all.slice(index * CHANGED_AT_ONCE, (index + 1) * CHANGED_AT_ONCE),
  )
