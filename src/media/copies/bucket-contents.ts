import { type Clock, DAY } from '../../domain/clock.ts'
import type { Log } from '../../domain/log.ts'
import type { OpenedLink } from '../media-links.ts'
import type { CopyBucket } from './copy-bucket.ts'
import { type CopyName, dayOf, isOver } from './copy-name.ts'

export interface BucketContentsDeps {
  bucket: CopyBucket
  nameOf: CopyName
  clock: Clock
  days: number
  log: Log
}

export interface BucketContents {
  /** Returns a link to the copy of a file. Undefined if there is no copy, or its existence is unknown. */
  linkOf(link: string, opened: OpenedLink): Promise<string | undefined>
  removeOld(): Promise<void>
  removeOf(instance: string): Promise<void>
}

export const bucketContents = (
  { bucket, nameOf, clock, days, log }: BucketContentsDeps,
  signal: AbortSignal,
): BucketContents => ({
  async linkOf(link, opened) {
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
      for (let day = 0; day <= days + 1; day++)
        for (const name of await bucket.names(`${dayOf(clock.now() + day * DAY)}/${instance}/`)) await bucket.remove(name)
    } catch (error) {
      log.warn(
        { instance, err: error },
        'copies of received files of a deleted instance could not be removed; they stay until their term is over',
      )
    }
  },
})
