/**
 * The library caches pairs of number and LID without a limit, each with a timer that restarts at every look-up, three per text. Pairs are on disk and
 * never expire, so this cache has no timers and is limited only by the number of its pairs.
 */

import { LIDMappingStore } from '@whiskeysockets/baileys/lib/Signal/lid-mapping.js'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'

/** Maximum number of cached jids; each pair has two. */
const REMEMBERED = 20_000

export class LidMapping extends LIDMappingStore {
  constructor(...parts: ConstructorParameters<typeof LIDMappingStore>) {
    super(...parts)
    // The field is private only in TypeScript.
    Reflect.set(this, 'mappingCache', boundedCache<string, string>(REMEMBERED))
  }
}
