/**
 * Runs compiled tests with every store in PostgreSQL: node --enable-source-maps scripts/test-postgres.mjs
 * [.built/test/…test.js …]. It starts a PostgreSQL server, which has a schema for each data folder
 * (test/harness/store-env.ts). Without arguments, all tests in test/e2e and test/faults run, except the long ones and
 * those that match `OF_LMDB`.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const { noPostgres, startCluster } = await import('../.built/test/harness/postgres.js')

/**
 * Matches tests that cannot run on PostgreSQL: tests of lmdb's files or of the disk of a store, and tests that start
 * the service in another way.
 */
const OF_LMDB =
  /\/(at-rest|history|web-version|store-commands|start|pruned-tree|cli|no-secrets|clock|request-id|newcomer|media-memory|archive|postgres|keys|failing-\w+|(full|small)-disk[\w-]*|hosted|export-kills)\.test\.js$/

const all = ['.built/test/e2e', '.built/test/faults'].flatMap((folder) =>
  readdirSync(folder, { recursive: true }).map((name) => join(folder, name)),
)
const given = process.argv.slice(2)
const tests =
  given.length > 0 ? given : all.filter((file) => file.endsWith('.test.js') && !file.includes('/long/') && !OF_LMDB.test(file))

if (noPostgres) {
  process.stdout.write(`${noPostgres}; nothing was tested.\n`)
} else {
  const cluster = await startCluster({ max_connections: '200' })
  const env = { ...process.env, TEST_POSTGRES: cluster.url('any') }
  const { status } = spawnSync(process.execPath, ['--enable-source-maps', 'scripts/test.mjs', ...tests], {
    env,
    stdio: 'inherit',
  })
  await cluster.stop()
  process.exitCode = status ?? 1
}
