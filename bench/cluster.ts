/**
 * Measures a member of a cluster on PostgreSQL. First: what it adds to requests for an instance that another member
 * has. Second: what its own texts cost, in comparison with a service on lmdb. The database, the network, the client and
 * the receiver share the cores of this machine, so the result also says how much of the cores each of them used.
 */
import { cpus } from 'node:os'
import { noPostgres } from '../test/harness/postgres.ts'
import { amount, report, startBench, UNLIMITED } from './measure.ts'
import { againstLmdb } from './parts/against-lmdb.ts'
import { syncTimes } from './parts/disk.ts'
import { prepareMembers } from './parts/members.ts'
import { passingOn } from './parts/passing-on.ts'

const CONTACT = '5511988880001'

if (noPostgres) throw new Error(noPostgres)
const bench = await startBench()
const { postgres, start } = await prepareMembers(bench)
try {
  const disk = await syncTimes(bench.dir, amount(400, 20))
  await bench.sandbox.createContact(CONTACT, { sink: true, receipts: 'delivered' })
  const home = await start('home')
  const other = await start('other-member')
  const passed = await passingOn(bench, { home, other, postgres: postgres.cpuMs }, CONTACT)
  // The other member is stopped, because otherwise the balance would move some of the following instances to it.
  await other.service.stop()
  const services = { postgres: home, lmdb: await bench.serve({ ...UNLIMITED, SVC_SHARDS: '1' }) }
  const texts = await againstLmdb(bench, services, postgres.cpuMs, CONTACT)
  report('a member on PostgreSQL: what it adds to requests for instances of others, and its texts against lmdb', {
    cores: cpus().length,
    disk_ms: disk,
    passed_on: passed,
    ...texts,
  })
} finally {
  await bench.end()
  await postgres.stop()
}
