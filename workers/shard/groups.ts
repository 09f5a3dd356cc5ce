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

  // Every change of a group is told to all members, the actor included; the next send asks anew.
  sock.ws.on('CB:notification,type:w:gp2', ({ attrs }: BinaryNode) => {
    if (attrs.from) groups.delete(attrs.from)
  })

  function known(jid: string) {
    const entry = groups.get(jid)
    return entry && clock.now() - entry.at < MAX_AGE ? entry.metadata : undefined
  }

  return {
    known,
    async get(jid) {
      const cached = known(jid)
      if (cached) return cached
      const metadata = await sock.groupMetadata(jid)
      groups.delete(jid)
      groups.set(jid, { at: clock.now(), metadata })
      for (const oldest of groups.keys()) {
        if (groups.size <= MAX_GROUPS) break
        groups.delete(oldest)
      }
      return metadata
    },
  }
}
