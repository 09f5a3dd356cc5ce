/**
 * Sessions with people who have a number and no LID. Before a send the library asks the network for the keys of new devices, by LID alone:
 * a number whose LID the network does not know is left out of the question (Socket/messages-send.js, assertSessions), no session comes, and
 * the send ends with "All encryptions failed". Only there the list of LIDs is asked for, so a number without one goes by itself; our
 * repository keeps its session under the number, and moves it when a LID becomes known.
 *
 * The library remembers pairs without a bound, each with a timer that begins anew whenever the pair is asked for: three a text. They are on
 * disk and never lapse, so here they are bounded by their number alone.
 */

import { LIDMappingStore } from '@whiskeysockets/baileys/lib/Signal/lid-mapping.js'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'

/** Names, two of a pair. */
const REMEMBERED = 20_000

export class LidMapping extends LIDMappingStore {
  constructor(...parts: ConstructorParameters<typeof LIDMappingStore>) {
    super(...parts)
    // Private to the library, in TypeScript only.
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
