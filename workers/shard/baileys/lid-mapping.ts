/**
 * Makes sessions possible with people who have a number and no LID. Before a send the library queries the keys of new
 * devices only by LID. A number without a known LID is omitted from the query (Socket/messages-send.js,
 * assertSessions), no session is created, and the send fails with "All encryptions failed". Only that function requests
 * the list of LIDs, so a number without a LID is returned as itself. Our repository stores its session under the
 * number, and moves it when a LID becomes known.
 *
 * The library caches pairs without a limit, each with a timer that restarts at every look-up, three per text. Pairs are
 * on disk and never expire, so here the cache is limited by their number only.
 */

import { LIDMappingStore } from '@whiskeysockets/baileys/lib/Signal/lid-mapping.js'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'

/** The most cached jids, two per pair. */
const REMEMBERED = 20_000

export class LidMapping extends LIDMappingStore {
  constructor(...parts: ConstructorParameters<typeof LIDMappingStore>) {
    super(...parts)
    // The field is private only in TypeScript.
    Reflect.set(this, 'mappingCache', boundedCache<string, string>(REMEMBERED))
  }

  override async getLIDsForPNs(pns: string[]) {
    const pairs = (await super.getLIDsForPNs(pns)) ?? []
    const mapped = new Set(pairs.map(({ pn }) => pn))
    return [...pairs, ...pns.filter((pn) => !mapped.has(pn)).map((pn) => ({ lid: pn, pn }))]
  }

  override async getLIDForPN(pn: string) {
    const pairs = await super.getLIDsForPNs([pn])
    return pairs?.[0]?.lid ?? null
  }
}
