/**
 * Copies received files to the bucket of `SVC_MEDIA_URL`. A shard thread records each file in the commit of its event.
 * Here the files are copied, and the records removed.
 *
 * A file is tried until its copy exists, the network has no such file, its link has expired, or its instance is
 * deleted.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../../domain/clock.ts'
import type { Log } from '../../domain/log.ts'
import type { CopyFailure, MediaCopy } from '../../domain/media-copy.ts'
import { fairSlots } from '../../egress/fair-slots.ts'
import type { StateStore } from '../../storage/contract.ts'
import { keys } from '../../storage/record-keys.ts'
import type { MediaLinks, OpenedLink } from '../media-links.ts'
import { type BucketContents, type BucketContentsDeps, bucketContents } from './bucket-contents.ts'
import { type BucketWatchDeps, createBucketWatch } from './bucket-watch.ts'
import type { CopyBucket } from './copy-bucket.ts'
import { createFilesAside, LONGEST_ASIDE } from './files-aside.ts'
import { createRecordWalks } from './record-walks.ts'

export const COPIES = 4
const COPIES_OF_INSTANCE = 3
const PAUSES = [SECOND, 4 * SECOND]
export type CopyOutcome = 'copied' | 'retry' | 'lost'

export interface MediaCopiesDeps extends BucketContentsDeps, BucketWatchDeps {
  bucket: CopyBucket
  store: Pick<StateStore, 'range' | 'commit'>
  links: MediaLinks
  /** Returns the proxy URL of an instance, or null without a proxy. Undefined if there is no such instance. */
  proxyOf(instance: string): string | null | undefined
  /** Whether this service has the instance. If another service has it, that service copies its files. */
  isHere(instance: string): boolean
  count(outcome: CopyOutcome): void
  log: Log
}

export interface MediaCopies extends BucketContents {
  wake(instance: string): void
  /** Returns why the bucket cannot be used, without secrets; undefined unless the last copies failed because of it. */
  problem(): string | undefined
  stop(): Promise<void>
}

export function createMediaCopies(deps: MediaCopiesDeps): MediaCopies {
  const { store, links, nameOf, bucket, clock, proxyOf, isHere, log } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  const slots = fairSlots({ total: COPIES, perOrigin: COPIES_OF_INSTANCE })
  const walks = createRecordWalks(pass, signal, log)
  const aside = createFilesAside(walks.wake)
  const contents = bucketContents(deps, signal)
  /** All files that wait are tried immediately when the bucket works again. */
  const watch = createBucketWatch(deps, aside.tryAll)

  /** Copies one file. Undefined if the copy is tried again later, the service stops, or the instance was deleted. */
  async function outcomeOf(instance: string, key: string, link: string): Promise<CopyOutcome | undefined> {
    const opened = links.open(link, clock.now())
    const proxyUrl = proxyOf(instance)
    // The instance was deleted. Its deletion removes the record of the file, too.
    if (proxyUrl === undefined) return undefined
    if (opened === null) return lost(instance, 'The term of its copy is over.')
    const task = taskOf(opened, proxyUrl, nameOf(link, opened))
    for (let tries = 0; ; tries++) {
      const result = await watch.tried(task)
      if (signal.aborted) return undefined
      watch.heard(result)
      if (result.type === 'copied') return proxyOf(instance) === undefined ? removed(task.name) : 'copied'
      if (result.type === 'gone') return lost(instance, result.reason)
      deps.count('retry')
      const pause = PAUSES[tries]
      if (pause === undefined && stepAside(instance, key, result)) return undefined
      await wait(pause ?? LONGEST_ASIDE.bucket, undefined, { signal })
    }
  }

  async function removed(name: string): Promise<undefined> {
    await bucket.remove(name)
    return undefined
  }

  function lost(instance: string, reason: string): CopyOutcome {
    log.warn({ instance, reason }, 'a received file was not copied to the bucket, and is not tried again')
    return 'lost'
  }

  function stepAside(instance: string, key: string, { type, reason }: CopyFailure): boolean {
    const waitMs = aside.put(instance, key, type)
    if (waitMs !== undefined && type === 'host')
      log.info(
        { instance, reason, retry_in_ms: waitMs },
        'a received file could not be copied to the bucket; it is tried again later',
      )
    return waitMs !== undefined
  }

  async function carry(instance: string, key: string, link: string): Promise<void> {
    const outcome = await outcomeOf(instance, key, link)
    if (outcome === undefined || !isHere(instance)) return
    await store.commit({ ops: [[key, null]] })
    deps.count(outcome)
    aside.remove(key)
  }

  async function pass(instance: string): Promise<void> {
    if (!isHere(instance)) return aside.forget(instance)
    const running = new Set<Promise<void>>()
    let failure: { error: unknown } | undefined
    try {
      for await (const [key, link] of store.range(keys.mediaCopies(instance))) {
        if (!isHere(instance)) break
        if (aside.isWaiting(key)) continue
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

  return {
    wake(instance) {
      if (isHere(instance)) walks.wake(instance)
    },
    ...contents,
    linkOf: async (link, opened) => (watch.isAway ? undefined : await contents.linkOf(link, opened)),
    problem: () =>
      watch.isAway
        ? 'The bucket of SVC_MEDIA_URL cannot be used: received files are read from the network, and copied later.'
        : undefined,
    async stop() {
      stopping.abort()
      aside.stop()
      await walks.ended()
    },
  }
}

function taskOf({ instance, file }: OpenedLink, proxyUrl: string | null, name: string): MediaCopy {
  const { kind, path, mediaKey, fileSha256, fileEncSha256, fileLength, key, mimeType, fileName } = file
  const isOfChannel = key.remoteJid.endsWith('@newsletter')
  const sealed = { kind, mediaKey, fileSha256, fileEncSha256, fileLength, isOfChannel }
  return { download: { file: sealed, path, proxyUrl, instance }, name, mimeType, fileName }
}
