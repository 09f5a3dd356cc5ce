/** What is known of groups: fetched once, kept until a notification changes them, so that a send need not ask for 500 members each time. */
import { type BinaryNode, isLidUser, isPnUser, type WASocket } from '@whiskeysockets/baileys'
import { type Clock, HOUR } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import { type Group, groupIn, metadataQuery, namesOf } from '../wire/groups.ts'

export type { Group }

const MAX_GROUPS = 500
/** A notification that was lost with a connection must not leave us wrong for good. */
const MAX_AGE = HOUR

export interface Groups {
  /** From the cache only. */
  known(jid: string): Group | undefined
  /** From the cache or the network. Rejects as the library does (404 unknown, 403 not a member). */
  get(jid: string): Promise<Group>
  /** From the network, whatever is known. */
  refresh(jid: string): Promise<Group>
  /** Called with every answer of the network. */
  onLearnt(listener: (group: Group) => void): void
  /** Called when something of a group was changed, or may have been. */
  onChange(listener: (jid: string) => void): void
  /** It has changed, or what is known of it may be wrong: the next who asks is answered by the network. */
  forget(jid: string): void
}

/** Number and LID of a person, whom the network names by both. */
export interface Pair {
  pn: string
  lid: string
}

/** `learn` is given the pairs of a group's members before its metadata is. */
export function createGroups(sock: Pick<WASocket, 'query'>, clock: Clock, learn: (pairs: Pair[]) => Promise<void>): Groups {
  const groups = boundedCache<string, { at: number; metadata: Group }>(MAX_GROUPS)
  /** Being fetched. A change that is told meanwhile takes it out: the answer may be from before it. */
  const fetching = new Map<string, Promise<Group>>()
  const listeners: ((group: Group) => void)[] = []
  const changeListeners: ((jid: string) => void)[] = []

  function forget(jid: string) {
    groups.delete(jid)
    fetching.delete(jid)
    for (const listener of changeListeners) listener(jid)
  }

  function known(jid: string) {
    const entry = groups.get(jid)
    return entry && clock.now() - entry.at < MAX_AGE ? entry.metadata : undefined
  }

  function keep(jid: string, metadata: Group) {
    groups.set(jid, { at: clock.now(), metadata })
    for (const listener of listeners) listener(metadata)
  }

  async function fetch(jid: string): Promise<Group> {
    const asked = ask(sock, jid)
    fetching.set(jid, asked)
    try {
      const metadata = await asked
      await learn(pairsOf(metadata))
      if (fetching.get(jid) === asked) keep(jid, metadata)
      return metadata
    } finally {
      if (fetching.get(jid) === asked) fetching.delete(jid)
    }
  }

  return {
    known,
    onLearnt(listener) {
      listeners.push(listener)
    },
    onChange(listener) {
      changeListeners.push(listener)
    },
    forget,
    refresh(jid) {
      groups.delete(jid)
      fetching.delete(jid)
      return fetch(jid)
    },
    get: async (jid) => known(jid) ?? (await (fetching.get(jid) ?? fetch(jid))),
  }
}

/** Of those members whom the answer calls by both names. */
const pairsOf = ({ participants }: Group): Pair[] =>
  participants.flatMap((participant) => {
    const names = namesOf(participant)
    const pair = { pn: names.find((name) => isPnUser(name)), lid: names.find((name) => isLidUser(name)) }
    return pair.pn && pair.lid ? [{ pn: pair.pn, lid: pair.lid }] : []
  })

/** Rejects as `sock.groupMetadata` does. */
async function ask(sock: Pick<WASocket, 'query'>, jid: string): Promise<Group> {
  const answer: BinaryNode | undefined = await sock.query(metadataQuery(jid))
  // The library's own deadline.
  if (answer === undefined) throw new Failure('send_timeout')
  return groupIn(answer)
}
