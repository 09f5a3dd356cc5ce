/** Begins sessions with devices, from the keys that the network has of each. */
import { type BinaryNode, isHostedPnUser, isPnUser, parseAndInjectE2ESessions } from '@whiskeysockets/baileys'
import type { SignalRepository } from '../../keys/signal/signal-repository.ts'
import { keyBundlesQuery } from '../../wire/key-bundles.ts'
import type { LidPair } from '../identity.ts'

export interface DeviceSessions {
  /** Begins a session with each of these devices that has none. */
  begin(jids: readonly string[]): Promise<void>
  /** Replaces the session with this device by a new one. */
  renew(jid: string): Promise<void>
}

export interface DeviceSessionsDeps {
  query(node: BinaryNode): Promise<BinaryNode>
  repository: SignalRepository
  /** LIDs of devices by number, queried from the network if unknown. A device without one is omitted. */
  fetchLids(jids: string[]): Promise<LidPair[]>
}

export function createDeviceSessions({ query, repository, fetchLids }: DeviceSessionsDeps): DeviceSessions {
  /** A session is under the LID as soon as there is one, so its keys are queried by the LID too. */
  async function preferred(jids: readonly string[]): Promise<string[]> {
    const numbers = jids.filter((jid) => isPnUser(jid) || isHostedPnUser(jid))
    const pairs = numbers.length === 0 ? [] : await fetchLids(numbers)
    const lids = new Map(pairs.map(({ pn, lid }) => [pn, lid]))
    return jids.map((jid) => lids.get(jid) ?? jid)
  }

  async function fetch(jids: readonly string[], isRenewal: boolean) {
    const answer = await query(keyBundlesQuery(await preferred(jids), isRenewal))
    await parseAndInjectE2ESessions(answer, repository)
  }

  return {
    async begin(jids) {
      const lacking: string[] = []
      for (const jid of new Set(jids)) if (!(await repository.validateSession(jid)).exists) lacking.push(jid)
      if (lacking.length > 0) await fetch(lacking, false)
    },
    renew: (jid) => fetch([jid], true),
  }
}
