/** What is known of groups: fetched once, kept until a notification changes them, so that a send need not ask for 500 members each time. */
import type { BinaryNode, GroupMetadata, WASocket } from '@whiskeysockets/baileys'
import { type Clock, HOUR } from '../../src/domain/clock.ts'

const MAX_GROUPS = 500
/** A notification that was lost with a connection must not leave us wrong for good. */
const MAX_AGE = HOUR

export interface Groups {
  /** From the cache only. */
  known(jid: string): GroupMetadata | undefined
  /** From the cache or the network. Rejects as the library does (404 unknown, 403 not a member). */
  get(jid: string): Promise<GroupMetadata>
}

export function createGroups(sock: WASocket, clock: Clock): Groups {
  const groups = new Map<string, { at: number; metadata: GroupMetadata }>()
  /** Being fetched. A change that is told meanwhile takes it out: the answer may be from before it. */
  const fetching = new Map<string, Promise<GroupMetadata>>()

  // Every change of a group is told to all members, the actor included; the next send asks anew.
  sock.ws.on('CB:notification,type:w:gp2', ({ attrs }: BinaryNode) => {
    if (!attrs.from) return
    groups.delete(attrs.from)
    fetching.delete(attrs.from)
  })

  function known(jid: string) {
    const entry = groups.get(jid)
    return entry && clock.now() - entry.at < MAX_AGE ? entry.metadata : undefined
  }

  function keep(jid: string, metadata: GroupMetadata) {
    groups.delete(jid)
    groups.set(jid, { at: clock.now(), metadata })
    for (const oldest of groups.keys()) {
      if (groups.size <= MAX_GROUPS) break
      groups.delete(oldest)
    }
  }

  async function fetch(jid: string): Promise<GroupMetadata> {
    const asked = sock.groupMetadata(jid)
    fetching.set(jid, asked)
    try {
      const metadata = await asked
      if (fetching.get(jid) === asked) keep(jid, metadata)
      return metadata
    } finally {
      if (fetching.get(jid) === asked) fetching.delete(jid)
    }
  }

  return {
    known,
    get: async (jid) => known(jid) ?? (await (fetching.get(jid) ?? fetch(jid))),
  }
}
