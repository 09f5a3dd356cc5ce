/**
 * Reads the list of groups with one query: after the pairing, when the network reports the list as outdated, and at a
 * login if the last reading is old.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, SECOND } from '../../../src/domain/clock.ts'
import { createTurns } from '../../../src/lib/turns.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import { batchQuery, type Group, groupsIn, participatingQuery } from '../wire/groups.ts'
import { FACETS } from './facets.ts'
import type { GroupList } from './group-list.ts'
import type { GroupStore } from './group-store.ts'
import type { TakeMembers } from './members.ts'

/** Deadline in ms of a query for the list. Callers have deadlines of their own. */
const DEADLINE = 45 * SECOND
const BATCH = 10_000

export interface ListReading {
  /** Always queries the network; concurrent calls share one query. */
  read(): Promise<void>
  /** Reads the whole list if it was never read, and then the groups that may have changed. */
  current(): Promise<void>
  /** Reads the list if it was never read, or if the last reading is old. Called at a login. */
  catchUp(): void
}

export interface ListReadingDeps {
  sock: Pick<NetworkSocket, 'query'>
  list: GroupList
  stored: Pick<GroupStore, 'keep'>
  /** Adds the members of the groups in an answer to the directory, before the list counts as read. */
  members: TakeMembers
  ended: AbortSignal
  clock: Clock
  log: Pick<Logger, 'info'>
}

export function createListReading({ sock, list, stored, members, ended, clock, log }: ListReadingDeps): ListReading {
  let reading: Promise<void> | null = null
  let mending: Promise<void> | null = null

  async function whole() {
    await list.ready()
    const at = clock.now()
    const begun = list.begin()
    try {
      const { groups, truncated } = await listedIn(await sock.query(participatingQuery(), DEADLINE))
      if (ended.aborted) return
      await members(groups)
      if (!ended.aborted) await begun.whole(groups, truncated, at, stored.keep)
    } finally {
      begun.end()
    }
  }

  async function open() {
    const asked = list.stale().slice(0, BATCH)
    const begun = list.begin()
    try {
      const { groups, refused } = await listedIn(await sock.query(batchQuery(asked), DEADLINE))
      if (ended.aborted) return
      await members(groups)
      if (!ended.aborted) await begun.some(groups, refused)
    } finally {
      begun.end()
    }
  }

  const read = () => {
    reading ??= whole().finally(() => {
      reading = null
    })
    return reading
  }

  const mend = () => {
    mending ??= open().finally(() => {
      mending = null
    })
    return mending
  }

  return {
    read,
    async current() {
      await list.ready()
      if (reading || list.readAt === null) await read()
      if (list.stale().length > 0) await mend()
    },
    catchUp() {
      const behind = async () => {
        await list.ready()
        if (list.readAt === null || Math.abs(clock.now() - list.readAt) > FACETS.entry.readAgainMs) await read()
      }
      behind().catch((error) => log.info({ err: error }, 'the list of joined groups could not be read from the network'))
    },
  }
}

/** Returns the groups in an answer. They are read in slices, because an answer can be large. */
async function listedIn(answer: BinaryNode): Promise<{ groups: Group[]; truncated: string[]; refused: string[] }> {
  const turn = createTurns()
  const groups: Group[] = []
  const named = { truncated: [] as string[], refused: [] as string[] }
  for (const listed of groupsIn(answer)) {
    if (listed.is === 'whole') groups.push(listed.group)
    else named[listed.is].push(listed.jid)
    await turn()
  }
  return { groups, ...named }
}
