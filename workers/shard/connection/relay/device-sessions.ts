/** Creates encryption sessions with devices, from the keys that the network has of each device. */
import { type BinaryNode, isHostedPnUser, isPnUser, parseAndInjectE2ESessions } from '@whiskeysockets/baileys'
import type { SignalRepository } from '../../keys/signal/signal-repository.ts'
import { keyBundlesQuery, withKeys } from '../../wire/key-bundles.ts'
import type { LidPair } from '../identity.ts'

export interface DeviceSessions {
  /** Creates the sessions that are missing. Devices without keys on the network are omitted. */
  begin(jids: readonly string[]): Promise<void>
  /** Replaces the session with this device. Rejects if the network has no keys of the device. */
  renew(jid: string): Promise<void>
}

export interface DeviceSessionsDeps {
  query(node: BinaryNode): Promise<BinaryNode>
  repository: SignalRepository
  /** Unknown LIDs are queried from the network; devices without a LID are omitted. */
  fetchLids(jids: string[]): Promise<LidPair[]>
}

export function createDeviceSessions({ query, repository, fetchLids }: DeviceSessionsDeps): DeviceSessions {
  /**
   * Returns each device under its LID, if it has one. Its session is stored under the LID, so its keys are queried
   * by the LID too.
   */
  async function preferred(jids: readonly string[]): Promise<string[]> {
    const numbers = jids.filter((jid) => isPnUser(jid) || isHostedPnUser(jid))
    const pairs = numbers.length === 0 ? [] : await fetchLids(numbers)
    const lids = new Map(pairs.map(({ pn, lid }) => [pn, lid]))
    return jids.map((jid) => lids.get(jid) ?? jid)
  }

  const fetch = async (jids: readonly string[], isRenewal: boolean) => query(keyBundlesQuery(await preferred(jids), isRenewal))

  return {
    async begin(jids) {
      const lacking: string[] = []
      for (const jid of new Set(jids)) if (!(await repository.validateSession(jid)).exists) lacking.push(jid)
      if (lacking.length > 0) await parseAndInjectE2ESessions(withKeys(await fetch(lacking, false)), repository)
    },
    renew: async (jid) => parseAndInjectE2ESessions(await fetch([jid], true), repository),
  }
}
