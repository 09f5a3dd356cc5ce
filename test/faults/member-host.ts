/** A member of a cluster in the process of the test: its store, its own way to the database, and its link to the others. */
import { randomUUID } from 'node:crypto'
import { type OpenStore, openStore } from '../../src/storage/open-store.ts'
import type { Cluster } from '../harness/postgres.ts'
import { type PostgresProxy, startProxy } from '../harness/postgres-proxy.ts'
import { until } from '../harness/until.ts'
import { openSide } from '../unit/peer/side.ts'

export interface RunningMember {
  name: string
  store: OpenStore
  proxy: PostgresProxy
  /** The sentences with which the process would have ended. */
  over: string[]
  /** The names of the members that this one has removed. */
  lost: string[]
  /** Those of which it has told that the database refuses their removal. */
  notRemoved: string[]
  /** Ends its connections and its port, as the end of its process does. */
  kill(): Promise<void>
  looks(): number
  /** Stops in order. */
  stop(): Promise<void>
}

export const nodeOf = (name: string) => ({ id: randomUUID(), name, release: '1.0.0', host: '127.0.0.1' })

/** The links are ended by `closeSides`. */
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

/** Resolves with the sentences with which the process would have ended. */
export const isOver = ({ over }: RunningMember) =>
  until(
    async () => over,
    ({ length }) => length > 0,
  )
