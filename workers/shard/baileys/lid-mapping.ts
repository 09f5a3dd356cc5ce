/**
 * Replaces the library's cache of pairs (number and LID), which has no limit. In it each pair has a timer that restarts at every look-up, and each
 * text causes three look-ups. Pairs are on disk and never expire, so the replacement has no timers and limits the number of pairs.
 */

import { LIDMappingStore } from '@whiskeysockets/baileys/lib/Signal/lid-mapping.js'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'

/** Maximum number of cached jids; each pair has two. */
const REMEMBERED = 20_000

export class LidMapping extends LIDMappingStore {
  constructor(...parts: ConstructorParameters<typeof LIDMappingStore>) {
    super(...parts)
    // The field is private only in TypeScript, so it can be replaced at run time.
    Reflect.set(this, 'mappingCache', boundedCache<string, string>(REMEMBERED))
  }
}
