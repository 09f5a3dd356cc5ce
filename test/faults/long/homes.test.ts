import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noPostgres, startCluster } from '../../harness/postgres.ts'
import { startProxy } from '../../harness/postgres-proxy.ts'
import { runHomes } from '../homes-model.ts'
import { createSeeded } from '../seeded.ts'

const random = createSeeded()
/** Number of takeovers. Each needs a third of a second of processor time, and a test file may take at most 400 s. */
const TAKEOVERS = 1_000

test(`over a thousand takeovers no record has two writers (SVC_TEST_SEED=${random.seed})`, { skip: noPostgres }, async () => {
  const cluster = await startCluster()
  const proxies = [await startProxy(cluster.socket), await startProxy(cluster.socket), await startProxy(cluster.socket)]
  const sides = proxies.map((proxy) => ({ url: `postgres://svc@127.0.0.1:${proxy.port}/postgres?schema=homes`, proxy }))
  const side = await cluster.client('homes')
  const { claims } = await runHomes({ side, sides, random, takeovers: TAKEOVERS })
  assert.ok(claims > TAKEOVERS)
  for (const proxy of proxies) await proxy.stop()
  await cluster.stop()
})
