/**
 * Random members of a cluster are cut off or paused, for a short or a long time. Only members with a long fault may be
 * removed. The seed is printed, and SVC_TEST_SEED sets it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Cluster, noPostgres, startCluster } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { closeSides } from '../../unit/peer/side.ts'
import { cutOff, isOver, type RunningMember, sees, startMember } from '../member-host.ts'
import { createSeeded } from '../seeded.ts'

const MEMBERS = 4
const ROUNDS = 6
/**
 * Duration of a short fault in ms. A counter that does not rise for this time is no sign that its service has ended.
 */
const SHORT = 1_000
/** Duration of a long fault in ms. The others remove a member after at most six seconds. */
const LONG = 9_000

describe('members with random faults', { skip: noPostgres, timeout: 400_000 }, () => {
  let cluster: Cluster
  const started: RunningMember[] = []
  before(async () => {
    cluster = await startCluster({ max_connections: '100' })
  })
  after(async () => {
    for (const { proxy } of started) proxy.refuse(false)
    await Promise.all(started.map((each) => each.stop()))
    await closeSides()
    await cluster?.stop()
  })

  const start = async () => {
    const member = await startMember(cluster, 'random', `m${started.length}`)
    started.push(member)
    return member
  }

  /** Resolves when the fault has ended. */
  async function fault(member: RunningMember, kind: 'cut' | 'still', ms: number): Promise<void> {
    if (kind === 'cut') cutOff(member)
    else member.proxy.hold(true)
    await pause(ms)
    if (kind === 'cut') member.proxy.refuse(false)
    else member.proxy.hold(false)
  }

  test('only those with a long fault are removed, each by one other', async (t) => {
    const seeded = createSeeded()
    t.diagnostic(`seed ${seeded.seed}`)
    let members: RunningMember[] = []
    for (let round = 0; round < ROUNDS; round++) {
      while (members.length < MEMBERS) members.push(await start())
      const names = members.map(({ name }) => name)
      for (const each of members)
        await sees(
          each,
          names.filter((name) => name !== each.name),
        )
      // In this time each member checks the others once more, so that it has observed them.
      await pause(2_500)
      const [, ...faulty] = seeded.shuffled(members)
      const chosen = faulty
        .slice(0, 1 + seeded.below(faulty.length))
        .map((member) => ({ member, kind: seeded.pick(['cut', 'still'] as const), ms: seeded.pick([SHORT, LONG]) }))
      await Promise.all(chosen.map(({ member, kind, ms }) => fault(member, kind, ms)))
      const gone = chosen.filter(({ ms }) => ms === LONG).map(({ member }) => member)
      const left = members.filter((each) => !gone.includes(each))
      const what = chosen.map(({ member, kind, ms }) => `${member.name} ${kind} ${ms}`).join(', ')
      for (const each of gone) await isOver(each)
      for (const each of left)
        await sees(
          each,
          left.filter((other) => other !== each).map(({ name }) => name),
        )
      const removed = () => started.flatMap(({ lost }) => lost)
      await until(async () => gone.every(({ name }) => removed().includes(name)), Boolean)
      assert.deepEqual(
        left.map(({ over }) => over),
        left.map(() => []),
        what,
      )
      assert.equal(new Set(removed()).size, removed().length, what)
      for (const { store } of left) await store.commit({ ops: [['k', Buffer.from(what)]] })
      members = left
    }
  })
})
