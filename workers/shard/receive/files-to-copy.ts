/**
 * Records the received files that must still be copied to the bucket (`SVC_MEDIA_URL`), in the commit of their event.
 * The main thread copies the files and removes the records.
 */
import { BoundedCache } from '../../../src/lib/bounded-cache.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'

/**
 * Maximum number of links that are not in an event yet. Links of events that nobody wants are removed only by this
 * limit.
 */
const MAX_LINKS = 1_000
const MAX_EVENTS = 10_000

export interface FilesToCopy {
  made(url: string, link: string): void
  ops(event: object, eventId: string): Op[]
  committed(eventId: string): void
}

export function createFilesToCopy(instance: string, announce: () => void): FilesToCopy {
  const links = new BoundedCache<string, string>(MAX_LINKS)
  /** Number of links in `links`. It can be too high, because evicted links are not subtracted. */
  let made = 0
  const appended = new BoundedCache<string, true>(MAX_EVENTS)

  return {
    made(url, link) {
      links.set(url, link)
      made++
    },
    ops(event, eventId) {
      if (made === 0) return []
      const found = [...textsOf(event)].flatMap((text) => {
        const link = links.get(text)
        if (link === undefined) return []
        links.delete(text)
        made--
        return link
      })
      if (found.length > 0) appended.set(eventId, true)
      return found.map((link, index) => [keys.mediaCopy(instance, eventId, index), Buffer.from(link)] as const)
    },
    committed(eventId) {
      if (!appended.has(eventId)) return
      appended.delete(eventId)
      announce()
    },
  }
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* textsOf(each)
}
