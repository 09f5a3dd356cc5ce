/**
 * An instance was taken over from a killed member, and then moved to a third member. The killed member might only have
 * been paused, and log in once more. So if another session replaces the session of this instance, the instance logs in
 * again. Only the fourth replacement stops it.
 */
import { after, before, test } from 'node:test'
import { noPostgres } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { type ClusterWorld, type Member, startClusterWorld } from '../cluster-world.ts'

const PHONE = '5511999997002'

let world: ClusterWorld
before(async () => {
  if (!noPostgres) world = await startClusterWorld(['a', 'b', 'c'])
})
after(() => world?.stop())

test('an instance that was taken over and has moved since logs in again if its session is replaced', {
  skip: noPostgres,
  timeout: 300_000,
}, async () => {
  const instance = await world.gateway.connected(world.sandbox, PHONE, world.receiver)
  let left = world.members
  async function leaveHome(): Promise<Member> {
    // The others report the instance as connected for some seconds after the kill of the member that has it.
    const home = await until(
      () => world.homeOf(instance),
      (found) => found !== undefined && left.includes(found),
    )
    left = left.filter((each) => each !== home)
    return home!
  }
  await (await leaveHome()).running().kill()
  await world.connected([instance], 60_000, left)
  await (await leaveHome()).running().stop()
  await world.connected([instance], 60_000, left)
  await until(
    () => world.homeOf(instance),
    (found) => found === left[0],
  )

  const bodyOf = async (path: string) => (await world.askAt(left[0]!, instance, 'GET', path)).body as Record<string, unknown>
  const replaceAtLogins = async (times: number) => {
    await world.sandbox.fault({ on: 'login', match: { phone: PHONE }, do: { stream_error: 'replaced' }, times })
    await world.sandbox.cut(PHONE)
  }
  const { connected_at: before } = await bodyOf('/device')
  await replaceAtLogins(3)
  await until(
    async () => (await bodyOf('/device')).connected_at,
    (found) => typeof found === 'string' && found !== before,
    60_000,
  )
  await replaceAtLogins(1)
  await until(
    async () => (await bodyOf('/status')).status,
    (status) => status === 'stopped',
    60_000,
  )
})
