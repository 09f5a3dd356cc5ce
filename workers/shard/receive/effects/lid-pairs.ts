/** Stores pairs of number and LID: from stanzas, before they are handled, and from the phone's history. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuthenticationState, BinaryNode } from '@whiskeysockets/baileys'
import { learnPairs } from '../../connection/identity.ts'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { type LidPair, lidPairsIn } from '../../wire/lid-pairs.ts'
import type { HistoryReader } from './history.ts'

const SLICE = 100
/**
 * Maximum number of pairs in the cache of the socket. Most stanzas contain a pair that is in this cache, and the pair
 * is then not stored again.
 */
const MAX_KNOWN = 20_000

const userOf = (jid: string) => jid.slice(0, jid.indexOf('@'))

/** Stores pairs of number and LID. If an encryption session exists under the number, it moves to the LID. */
export async function storePairs(
  { lidMapping, migrateSession }: NetworkSocket['signalRepository'],
  pairs: readonly LidPair[],
): Promise<void> {
  for (let from = 0; from < pairs.length; from += SLICE) {
    if (from > 0) await nextTurn()
    const slice = pairs.slice(from, from + SLICE)
    await lidMapping.storeLIDPNMappings(slice)
    for (const { pn, lid } of slice) await migrateSession(pn, lid)
  }
}

export type TakePairs = (node: BinaryNode) => Promise<void> | undefined

export function createLidPairs({ signalRepository }: Pick<NetworkSocket, 'signalRepository'>): TakePairs {
  const known = new Map<string, string>()

  async function store(pairs: LidPair[]) {
    await storePairs(signalRepository, pairs)
    for (const { pn, lid } of pairs) {
      known.delete(userOf(pn))
      known.set(userOf(pn), userOf(lid))
    }
    for (const oldest of known.keys()) {
      if (known.size <= MAX_KNOWN) break
      known.delete(oldest)
    }
  }

  return (node) => {
    const fresh = lidPairsIn(node).filter(({ pn, lid }) => known.get(userOf(pn)) !== userOf(lid))
    return fresh.length === 0 ? undefined : store(fresh)
  }
}

export const historyPairs = (
  sock: Pick<NetworkSocket, 'signalRepository'>,
  keys: AuthenticationState['keys'],
): HistoryReader => ({
  async take(slice) {
    const pairs = slice.filter((piece) => piece.kind === 'pair')
    if (pairs.length > 0) await learnPairs(sock, keys, pairs)
  },
})
