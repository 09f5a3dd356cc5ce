/** Caches the metadata of groups for an hour or until a notice changes it, so that sends need not query the members. */
import type { Clock } from '../../../src/domain/clock.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { LidPair } from '../connection/identity.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import { type Group, groupIn, metadataQuery, namesOf } from '../wire/groups.ts'
import { FACETS } from './facets.ts'
import type { GroupStore } from './group-store.ts'
import { pairsOf } from './members.ts'

export interface GroupMetadata {
  known(jid: string): Group | undefined
  /** Rejects with `QueryRefused`: with 404 if the group is unknown, with 403 if the account is not a member. */
  get(jid: string): Promise<Group>
  refresh(jid: string): Promise<Group>
  forget(jid: string): void
}

export interface GroupMetadataDeps {
  sock: Pick<NetworkSocket, 'query'>
  clock: Clock
  /** Stores the pairs (number and LID) of a group's members. Called before the metadata of the group is used. */
  learnPairs(pairs: LidPair[]): Promise<void>
  stored: Pick<GroupStore, 'read' | 'keep' | 'drop'>
  learn(group: Group): void
}

export function createGroupMetadata({ sock, clock, learnPairs, stored, learn }: GroupMetadataDeps): GroupMetadata {
  const { groups: most, ms: maxAge } = FACETS.metadata
  const groups = boundedCache<string, { at: number; metadata: Group }>(most)
  /**
   * Running queries. A change of a group removes its query from this map, so that the answer, which may be older, is
   * not cached.
   */
  const fetching = new Map<string, Promise<Group>>()

  function forget(jid: string) {
    groups.delete(jid)
    fetching.delete(jid)
    stored.drop(jid)
  }

  function known(jid: string) {
    const entry = groups.get(jid)
    return entry && clock.now() - entry.at < maxAge ? entry.metadata : undefined
  }

  function keep(jid: string, metadata: Group, isNews: boolean) {
    groups.set(jid, { at: clock.now(), metadata })
    if (!isNews) return
    stored.keep(metadata)
    learn(metadata)
  }

  async function fetch(jid: string, kept: (jid: string) => Promise<Group | null>): Promise<Group> {
    let isNews = false
    const fromNetwork = () => {
      isNews = true
      return ask(sock, jid)
    }
    const asked = kept(jid).then((group) => group ?? fromNetwork())
    fetching.set(jid, asked)
    try {
      const metadata = await asked
      await learnPairs(pairsOf(metadata.participants.map(namesOf)))
      if (fetching.get(jid) === asked) keep(jid, metadata, isNews)
      return metadata
    } finally {
      if (fetching.get(jid) === asked) fetching.delete(jid)
    }
  }

  return {
    known,
    forget,
    refresh(jid) {
      groups.delete(jid)
      fetching.delete(jid)
      return fetch(jid, async () => null)
    },
    get: async (jid) => known(jid) ?? (await (fetching.get(jid) ?? fetch(jid, stored.read))),
  }
}

async function ask(sock: Pick<NetworkSocket, 'query'>, jid: string): Promise<Group> {
  return groupIn(await sock.query(metadataQuery(jid)))
}
