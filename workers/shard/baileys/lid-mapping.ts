/**
 * The library's cache of pairs (number and LID) has no limit, and a timer for each pair. Pairs never expire, so the
 * replacement has no timers, and limits their number.
 */

import { LIDMappingStore } from '@whiskeysockets/baileys/lib/Signal/lid-mapping.js'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'

/** The most cached jids; each pair has two. */
const REMEMBERED = 20_000

export class LidMapping extends LIDMappingStore {
  constructor(...parts: ConstructorParameters<typeof LIDMappingStore>) {
    super(...parts)
    Reflect.set(this, 'mappingCache', boundedCache<string, string>(REMEMBERED))
  }
}
