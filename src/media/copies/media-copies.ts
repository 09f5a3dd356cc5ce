/**
 * Copies received files to the bucket of `SVC_MEDIA_URL`. A shard records each file in the commit of its event
 * (`workers/shard/receive/files-to-copy.ts`); here the records are read in order, the files copied, and the records
 * removed. Only the records of files that are being copied, or wait for another try, are in memory.
 *
 * A file is tried until its copy is there, the network no longer has the file, or the term of the copy is over. A file that failed several times is
 * put aside for a while, with growing pauses, and the other files are copied first.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, DAY, MINUTE, SECOND } from '../../domain/clock.ts'
import type { Log } from '../../domain/log.ts'
import type { CopyFailure, MediaCopy, MediaCopyResult } from '../../domain/media-copy.ts'
import { fairSlots } from '../../egress/fair-slots.ts'
import type { StateStore } from '../../storage/contract.ts'
import { keys } from '../../storage/record-keys.ts'
import type { MediaLinks, OpenedLink } from '../media-links.ts'
import type { CopyBucket } from './copy-bucket.ts'
import { type CopyName, dayOf, isOver } from './copy-name.ts'

/** Number of concurrent copies, and of those of one instance. Each holds up to 15 MB. */
export const COPIES = 4
const COPIES_OF_INSTANCE = 3
/** Pauses before the second and the third attempt of a file, during which the file keeps its place in the order. */
const PAUSES = [SECOND, 4 * SECOND]
/**
 * Time in ms for which a file is put aside at first. The next constant has the longest times: after a failure of the
 * network's host, and after a failure of the bucket.
 */
const ASIDE = 15 * SECOND
const LONGEST_ASIDE = { host: 30 * MINUTE, bucket: MINUTE }
/** The most files that are put aside. Further files keep their place in the order, so that the memory is bounded. */
const MAX_ASIDE = 1_000
/** Pause after the store could not be read or written. */
const STORE_PAUSE = 5 * SECOND

export type CopyOutcome = 'copied' | 'retry' | 'lost'

export interface MediaCopiesDeps {
  store: Pick<StateStore, 'range' | 'commit'>
  links: MediaLinks
  nameOf: CopyName
  bucket: CopyBucket
  clock: Clock
  /** Term of a copy, in days. */
  days: number
  /** Copies a file in a thread. Never rejects. */
  copy(task: MediaCopy): Promise<MediaCopyResult>
  /** Returns the proxy of the instance; undefined if there is no such instance. */
  proxyOf(instance: string): string | null | undefined
  count(outcome: CopyOutcome): void
  log: Log
}

export interface MediaCopies {
  /** Copies the files that an instance has recorded. */
  wake(instance: string): void
  /** Resolves with a link to the copy of a file; undefined if there is no copy, or the bucket does not answer. */
  linkOf(link: string, opened: OpenedLink): Promise<string | undefined>
  /** Removes the copies whose term is over. */
  removeOld(): Promise<void>
  /** Removes all copies of a deleted instance. */
  removeOf(instance: string): Promise<void>
  /** Sentence for everybody; undefined if the bucket can be used. */
  problem(): string | undefined
  stop(): Promise<void>
}

interface Aside {
  instance: string
  waitMs: number
  timer: NodeJS.Timeout | undefined
}

export function createMediaCopies(deps: MediaCopiesDeps): MediaCopies {
  const { store, links, nameOf, bucket, clock, proxyOf, log } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  const slots = fairSlots({ total: COPIES, perOrigin: COPIES_OF_INSTANCE })
  /** Instances whose records are being read, and whether they have new ones. */
  const walks = new Map<string, { hasMore: boolean; ended: Promise<void> }>()
  const aside = new Map<string, Aside>()
  let isAway = false

  function heard(result: MediaCopyResult): void {
    if (result.type === 'bucket' && !isAway)
      log.error({ problem: result.reason }, 'received files cannot be copied to the bucket; they wait')
    if (result.type === 'bucket') isAway = true
    if (result.type === 'copied' && isAway) back()
  }

  /** Called when the bucket works again: files that waited for it are tried immediately. */
  function back(): void {
    isAway = false
    log.info({}, 'received files can be copied to the bucket again')
    for (const entry of aside.values()) {
      clearTimeout(entry.timer)
      entry.timer = undefined
    }
    for (const instance of new Set([...aside.values()].map((entry) => entry.instance))) wake(instance)
  }

  /** Tries a copy. While the bucket is known to fail, it is checked first, so that the file is not downloaded for nothing. */
  async function tried(task: MediaCopy): Promise<MediaCopyResult> {
    if (isAway) {
      try {
        if (await bucket.isThere(task.name)) return { type: 'copied' }
      } catch (error) {
        return { type: 'bucket', reason: (error as Error).message }
      }
    }
    return deps.copy(task)
  }

  /**
   * Copies the file of a record. Resolves with undefined if there is no outcome: the instance was deleted, the service stops, or the copy is tried
   * again later.
   */
  async function outcomeOf(instance: string, key: string, link: string): Promise<CopyOutcome | undefined> {
    const opened = links.open(link, clock.now())
    const proxyUrl = proxyOf(instance)
    // The instance was deleted, and the deletion removes its records.
    if (proxyUrl === undefined) return undefined
    if (opened === null) return lost(instance, 'The term of its copy is over.')
    const task = taskOf(opened, proxyUrl, nameOf(link, opened))
    for (let tries = 0; ; tries++) {
      const result = await tried(task)
      if (signal.aborted) return undefined
      heard(result)
      if (result.type === 'copied') return proxyOf(instance) === undefined ? removed(task.name) : 'copied'
      if (result.type === 'gone') return lost(instance, result.reason)
      deps.count('retry')
      const pause = PAUSES[tries]
      if (pause === undefined && (aside.has(key) || aside.size < MAX_ASIDE)) return stepAside(instance, key, result)
      await wait(pause ?? LONGEST_ASIDE.bucket, undefined, { signal })
    }
  }

  /** Removes a copy that was made while its instance was deleted. */
  async function removed(name: string): Promise<undefined> {
    await bucket.remove(name)
    return undefined
  }

  function lost(instance: string, reason: string): CopyOutcome {
    log.warn({ instance, reason }, 'a received file was not copied to the bucket, and is not tried again')
    return 'lost'
  }

  function stepAside(instance: string, key: string, { type, reason }: CopyFailure): undefined {
    const before = aside.get(key)
    const waitMs = before === undefined ? ASIDE : Math.min(before.waitMs * 2, LONGEST_ASIDE[type])
    if (type === 'host')
      log.info(
        { instance, reason, retry_in_ms: waitMs },
        'a received file could not be copied to the bucket; it is tried again later',
      )
    const entry: Aside = { instance, waitMs, timer: undefined }
    entry.timer = setTimeout(() => {
      entry.timer = undefined
      wake(instance)
    }, waitMs)
    entry.timer.unref()
    aside.set(key, entry)
    return undefined
  }

  async function carry(instance: string, key: string, link: string): Promise<void> {
    const outcome = await outcomeOf(instance, key, link)
    if (outcome === undefined) return
    await store.commit({ ops: [[key, null]] })
    deps.count(outcome)
    aside.delete(key)
  }

  /** Copies all files of an instance that need not wait. Resolves when each file has an outcome or was put aside. */
  async function pass(instance: string): Promise<void> {
    const running = new Set<Promise<void>>()
    let failure: { error: unknown } | undefined
    try {
      for await (const [key, link] of store.range(keys.mediaCopies(instance))) {
        if (aside.get(key)?.timer !== undefined) continue
        const giveBack = await slots.take(instance, signal)
        const carried = carry(instance, key, Buffer.from(link).toString())
          .catch((error: unknown) => {
            failure ??= { error }
          })
          .finally(() => {
            giveBack()
            running.delete(carried)
          })
        running.add(carried)
      }
    } finally {
      await Promise.all(running)
    }
    if (failure !== undefined) throw failure.error
  }

  async function walk(instance: string): Promise<void> {
    const own = walks.get(instance)!
    while (own.hasMore && !signal.aborted) {
      own.hasMore = false
      try {
        await pass(instance)
      } catch (error) {
        if (signal.aborted) break
        log.error({ instance, err: error }, 'the records of received files could not be used; they are read again')
        own.hasMore = true
        await wait(STORE_PAUSE, undefined, { signal }).catch(() => {})
      }
    }
    walks.delete(instance)
  }

  function wake(instance: string): void {
    const own = walks.get(instance)
    if (own) own.hasMore = true
    if (own || signal.aborted) return
    const begun = { hasMore: true, ended: Promise.resolve() }
    walks.set(instance, begun)
    begun.ended = walk(instance)
  }

  return {
    wake,
    async linkOf(link, opened) {
      if (isAway) return undefined
      const name = nameOf(link, opened)
      try {
        if (!(await bucket.isThere(name))) return undefined
        return await bucket.linkTo(name, Math.min(DAY, opened.expiresAt - clock.now()))
      } catch (error) {
        log.warn(
          { instance: opened.instance, err: error },
          'the bucket did not say whether it has a received file; the file is read from the network',
        )
        return undefined
      }
    },
    async removeOld() {
      try {
        for (let names = await bucket.firstNames(); names.length > 0; names = await bucket.firstNames()) {
          const old = names.filter((name) => isOver(name, clock.now()))
          for (const name of old) if (!signal.aborted) await bucket.remove(name)
          if (old.length < names.length || signal.aborted) break
        }
      } catch (error) {
        log.warn(
          { err: error, day: dayOf(clock.now()) },
          'copies of received files whose term is over could not be removed; it is tried again',
        )
      }
    },
    async removeOf(instance) {
      try {
        for (let day = 0; day <= deps.days + 1; day++)
          for (const name of await bucket.names(`${dayOf(clock.now() + day * DAY)}/${instance}/`)) await bucket.remove(name)
      } catch (error) {
        log.warn(
          { instance, err: error },
          'copies of received files of a deleted instance could not be removed; they stay until their term is over',
        )
      }
    },
    problem: () =>
      isAway
        ? 'The bucket of SVC_MEDIA_URL cannot be used: received files are read from the network, and copied later.'
        : undefined,
    async stop() {
      stopping.abort()
      for (const { timer } of aside.values()) clearTimeout(timer)
      await Promise.all([...walks.values()].map(({ ended }) => ended))
    },
  }
}

function taskOf({ instance, file }: OpenedLink, proxyUrl: string | null, name: string): MediaCopy {
  const { kind, path, mediaKey, fileSha256, fileEncSha256, fileLength, key, mimeType, fileName } = file
  const isOfChannel = key.remoteJid.endsWith('@newsletter')
  const sealed = { kind, mediaKey, fileSha256, fileEncSha256, fileLength, isOfChannel }
  return { download: { file: sealed, path, proxyUrl, instance }, name, mimeType, fileName }
}
