/**
 * Two members of a cluster run as processes. An instance is exported and deleted through the member that does not have
 * it. Its archive is then imported through both members at the same time, which must create only one instance.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask } from '../../harness/http.ts'
import { noPostgres } from '../../harness/postgres.ts'
import { type ClusterWorld, type Member, startClusterWorld } from '../cluster-world.ts'

const PHONE = '5511999997001'
const PASSPHRASE = 'correct horse battery'

let world: ClusterWorld
before(async () => {
  if (!noPostgres) world = await startClusterWorld(['a', 'b'])
})
after(() => world?.stop())

/** Number of instances that the member counts in its metrics. */
async function countedBy({ url }: Member): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return [...metrics.matchAll(/^svc_instances\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)
}

async function exported({ url }: Member, id: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(`${url}/admin/instances/${id}/export`, {
    method: 'POST',
    headers: { ...world.gateway.admin, 'Content-Type': 'application/json' },
    body: JSON.stringify({ kind: 'move', passphrase: PASSPHRASE }),
  })
  assert.equal(answer.status, 200)
  return new Uint8Array(await answer.arrayBuffer())
}

async function imported({ url }: Member, archive: Uint8Array<ArrayBuffer>): Promise<number> {
  const headers = { 'Content-Type': 'application/octet-stream', 'X-Svc-Passphrase': encodeURIComponent(PASSPHRASE) }
  const { status } = await fetch(`${url}/admin/instances/import?from=svc`, {
    method: 'POST',
    headers: { ...world.gateway.admin, ...headers },
    body: archive,
  })
  return status
}

const options = { skip: noPostgres, timeout: 300_000 }
test('an archive that reaches both members becomes one instance, which one of them counts', options, async () => {
  const { gateway, members } = world
  const instance = await gateway.connected(world.sandbox, PHONE, world.receiver)
  await world.connected([instance])
  const home = await world.homeOf(instance)
  const far = members.find((each) => each !== home)!
  const archive = await exported(far, instance.id)
  const deleted = await ask('DELETE', `${far.url}/account/instances/${instance.id}`, undefined, gateway.account)
  assert.equal(deleted.status, 200)

  const statuses = await Promise.all(members.map((member) => imported(member, archive)))
  assert.deepEqual(statuses.toSorted(), [200, 409])
  await world.connected([instance])
  assert.deepEqual(Object.values(await world.homes()), [1])
  const counts = await Promise.all(members.map(countedBy))
  assert.deepEqual(counts.toSorted(), [0, 1])
  assert.deepEqual(await world.sql("SELECT key FROM svc_state WHERE key LIKE 'import:device:%' OR key LIKE 'import:keys:%'"), [])
})
