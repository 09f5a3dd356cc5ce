/** Number and LID of a person, from every stanza that names both: on disk before what the stanza says is taken. */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { jidUser } from '../../wire/jid.ts'
import { type LidPair, lidPairsIn } from '../../wire/lid-pairs.ts'

/** Pairs that were stored over this socket: most stanzas bring one that is known. */
const MAX_KNOWN = 20_000

export type TakePairs = (node: BinaryNode) => Promise<void> | undefined

export function createLidPairs({ signalRepository }: Pick<WASocket, 'signalRepository'>): TakePairs {
  const known = new Map<string, string>()

  async function store(pairs: LidPair[]) {
    await signalRepository.lidMapping.storeLIDPNMappings(pairs)
    for (const { pn, lid } of pairs) {
      // What was begun under the number goes on under the LID.
      await signalRepository.migrateSession(pn, lid)
      known.delete(jidUser(pn))
      known.set(jidUser(pn), jidUser(lid))
    }
    for (const oldest of known.keys()) {
      if (known.size <= MAX_KNOWN) break
      known.delete(oldest)
    }
  }

  return (node) => {
    const fresh = lidPairsIn(node).filter(({ pn, lid }) => known.get(jidUser(pn)) !== jidUser(lid))
    return fresh.length === 0 ? undefined : store(fresh)
  }
}
