/**
 * Runs members of a cluster in the process of the test: each has a store, a proxy to the database, and a link to the
 * others.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type OpenStore, openStore } from '../../src/storage/open-store.ts'
import type { Cluster } from '../harness/postgres.ts'
import { type PostgresProxy, startProxy } from '../harness/postgres-proxy.ts'
import { until } from '../harness/until.ts'
import { openSide } from '../unit/peer/side.ts'

export interface RunningMember {
  name: string
  store: OpenStore
  proxy: PostgresProxy
  /** Sentences with which this member has reported that it must end. A real process would end at this point. */
  over: string[]
  /** Names of the members that this member has removed. */
  lost: string[]
  /** Names of the members that this member could not remove, because the database refused it several times. */
  notRemoved: string[]
  /** Ends the member's connections and its port, as the end of a process does. */
  kill(): Promise<void>
  looks(): number
  /** Shuts the member down properly. */
  stop(): Promise<void>
}

export const nodeOf = (name: string) => ({ id: randomUUID(), name, release: '1.0.0', host: '127.0.0.1' })

/** Starts a member. The caller ends its link to the others with `closeSides`. */
export async function startMember(cluster: Cluster, schema: string, name: string): Promise<RunningMember> {
  const { link, port } = await openSide()
  const proxy = await startProxy(cluster.socket)
  const over: string[] = []
  const lost: string[] = []
  const notRemoved: string[] = []
  const store = await openStore(`postgres://svc@127.0.0.1:${proxy.port}/postgres?schema=${schema}`, {
    node: { ...nodeOf(name), peerPort: port },
    cluster: { ask: link.askMember, onLost: (found) => lost.push(found), onNotRemoved: (found) => notRemoved.push(found) },
    onOver: (_, sentence) => over.push(sentence),
  })
  let looks = 0
  const { reachesStore, onLook } = store.members!
  link.setMember({ id: store.ownerId!, reachesStore })
  onLook(() => looks++)
  const giveBack = await store.own().catch(async (error) => {
    await store.close()
    await proxy.stop()
    throw error
  })
  let stopped: Promise<void> | undefined
  async function stop() {
    await store.close()
    await giveBack()
    await proxy.stop()
  }
  return {
    name,
    store,
    proxy,
    over,
    lost,
    notRemoved,
    async kill() {
      cutOff({ proxy })
      await link.close()
    },
    looks: () => looks,
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

export function cutOff({ proxy }: Pick<RunningMember, 'proxy'>): void {
  proxy.refuse(true)
  proxy.cut()
}

/** Resolves when the member sees exactly these others. */
export const sees = ({ store }: RunningMember, names: readonly string[]) =>
  until(
    async () => namesOf(store.members!.others()),
    (found) => found === namesOf(names.map((name) => ({ name }))),
  )

const namesOf = (members: readonly { name: string }[]) =>
  members
    .map(({ name }) => name)
    .sort()
    .join()

/**
 * Resolves with the reasons for which this member has reported that it must end. The process goes on, because several
 * members share it.
 */
export const isOver = ({ over }: RunningMember) =>
  until(
    async () => over,
    ({ length }) => length > 0,
  )

export const put = (text: string) => ({ ops: [['k', Buffer.from(text)] as const] })

const HOLDERS = `SELECT l.pid FROM pg_locks l JOIN pg_locks m ON m.pid = l.pid AND m.locktype = 'advisory' AND m.classid = 7632143
  WHERE l.locktype = 'advisory' AND l.mode = 'ShareLock' AND l.objid = hashtext($1)::oid`

/** Starts groups of members, each group in a new schema. All members are stopped at the end. */
export function memberBench(cluster: () => Cluster) {
  let schemas = 0
  const ending: (() => Promise<void>)[] = []

  const newSchema = () => `members_${schemas++}`
  async function start(schema: string, name: string): Promise<RunningMember> {
    const member = await startMember(cluster(), schema, name)
    ending.push(member.stop)
    return member
  }

  async function several(...names: string[]) {
    const schema = newSchema()
    const members = await Promise.all(names.map((name) => start(schema, name)))
    for (const each of members)
      await sees(
        each,
        names.filter((name) => name !== each.name),
      )
    const side = await cluster().client(schema)
    const writers = async () =>
      (await side.query("SELECT name FROM svc_service WHERE state = 'member' AND writer IS NOT NULL ORDER BY name")).rows.map(
        ({ name }) => name as string,
      )
    /** Resolves with the server processes that hold both locks of a member. */
    const holders = async () => (await side.query(HOLDERS, [schema])).rows.map(({ pid }) => pid as number)
    return { schema, side, writers, holders, members: members as [RunningMember, RunningMember, RunningMember] }
  }

  /**
   * Waits until the other members no longer see `gone`. Then checks that exactly one of them reported the removal, that
   * only `gone` was removed, and that the others can still commit.
   */
  async function isRemoved(gone: RunningMember, others: RunningMember[], writers: () => Promise<string[]>): Promise<void> {
    const names = others.map(({ name }) => name)
    for (const each of others)
      await sees(
        each,
        names.filter((name) => name !== each.name),
      )
    await until(writers, (found) => isDeepStrictEqual(found, names))
    // The member that has removed `gone` reports the removal only after PostgreSQL has answered, so the report may come
    // later.
    await until(async () => others.some(({ lost }) => lost.length > 0), Boolean)
    assert.deepEqual(
      others.flatMap(({ lost }) => lost),
      [gone.name],
    )
    for (const { store, over } of others) {
      await store.commit(put('still'))
      assert.deepEqual(over, [])
    }
  }

  return {
    newSchema,
    start,
    several,
    isRemoved,
    stop: async () => void (await Promise.all(ending.map((end) => end()))),
  }
}
