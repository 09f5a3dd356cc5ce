/**
 * Replaces Baileys' cache of pairs (number and LID), which has no limit, and needs a timer for each pair. Pairs never
 * expire, so this cache needs no timers.
 */

import { LIDMappingStore } from '@whiskeysockets/baileys/lib/Signal/lid-mapping.js'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'

/** Maximum number of cached entries of one connection. Each pair has two. */
const REMEMBERED = 20_000

export class LidMapping extends LIDMappingStore {
  constructor(...parts: ConstructorParameters<typeof LIDMappingStore>) {
    super(...parts)
    Reflect.set(this, 'mappingCache', boundedCache<string, string>(REMEMBERED))
  }
}
