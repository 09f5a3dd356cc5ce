/**
 * Measures commits per second, their latency and their CPU time with lmdb and with PostgreSQL, with 1, 10 and 50
 * writers. The PostgreSQL server shares the cores of this machine. This changes the rates and latencies, but hardly the
 * CPU time of this process, which acts as the service.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Op, StateStore } from '../src/storage/contract.ts'
import { openStore } from '../src/storage/open-store.ts'
import { type Cluster, noPostgres, startCluster } from '../test/harness/postgres.ts'
import { amount, type Cores, medianCores, report, SMOKE, spread, watchCores } from './measure.ts'
import { syncTimes } from './parts/disk.ts'
import { summary } from './parts/numbers.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? amount(5, 1))
const WRITERS = SMOKE ? [1, 10] : [1, 10, 50]
/** Time of one measurement, in ms. */
const MEASURED = amount(1_000, 200, 5_000)
/**
 * Time in ms before the measurement. A new store has no query plans and few pages, so it can be slower or faster than a
 * store in use.
 */
const WARM = amount(1_000, 100)
const INSTANCE = 'instance:7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c11:'
/** Age, in commits, of the record that each commit removes. */
const KEPT = 50

/** Contents of a commit: the number of records, their size in bytes, and the size of the session in bytes. */
const BATCHES = {
  send: { records: 6, bytes: 190, session: 400 },
  receive: { records: 13, bytes: 210, session: 700 },
}
type Shape = keyof typeof BATCHES

const commits: number[] = []
function batch(shape: Shape, writer: number): Op[] {
  const { records, bytes, session } = BATCHES[shape]
  const at = (commits[writer] ?? 0) + 1
  commits[writer] = at
  const keyOf = (n: number, record: number) => `${INSTANCE}outbox:${writer}:${String(n).padStart(10, '0')}:${record}`
  return [
    [`${INSTANCE}key:session:${writer}`, randomBytes(session)],
    ...Array.from({ length: records }, (_, record): Op => [keyOf(at, record), randomBytes(bytes)]),
    [keyOf(at - KEPT, 0), null],
  ]
}

interface Measured {
  times: number[]
  perSecond: number
  ownMs: number
  serverMs: number
  cores: Cores
}

async function measure(store: StateStore, shape: Shape, writers: number, ms: number, cluster?: Cluster): Promise<Measured> {
  const times: number[] = []
  const own = process.cpuUsage()
  const server = cluster?.cpuMs() ?? 0
  const watch = watchCores({ service: process.pid, ...(cluster ? { postgres: cluster.cpuMs } : {}) })
  const began = performance.now()
  const write = async (writer: number) => {
    while (performance.now() - began < ms) {
      const ops = batch(shape, writer)
      const at = performance.now()
      await store.commit({ ops })
      times.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  const took = performance.now() - began
  const { user, system } = process.cpuUsage(own)
  return {
    times,
    perSecond: (times.length * 1_000) / took,
    ownMs: (user + system) / 1_000 / times.length,
    serverMs: ((cluster?.cpuMs() ?? 0) - server) / times.length,
    cores: watch(),
  }
}

const spreadOf = (all: readonly Measured[], of: (each: Measured) => number, digits = 2) => spread(all.map(of), digits)

const shown = (all: readonly Measured[]) => ({
  commits_per_s: spreadOf(all, ({ perSecond }) => perSecond, 0),
  ms: summary(all.flatMap(({ times }) => times)),
  service_cpu_ms: spreadOf(all, ({ ownMs }) => ownMs, 3),
  server_cpu_ms: spreadOf(all, ({ serverMs }) => serverMs, 3),
  cores: medianCores(all.map(({ cores }) => cores)),
})

const dir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
const cluster = noPostgres ? undefined : await startCluster({ shared_buffers: '128MB' })
const lmdb = await openStore(`lmdb:${join(dir, 'state')}`)
const postgres = cluster && (await openStore(cluster.url('bench')))
try {
  const result: Record<string, unknown> = {}
  for (const store of [lmdb, postgres]) if (store) await measure(store, 'send', 10, WARM)
  for (const shape of Object.keys(BATCHES) as Shape[]) {
    for (const writers of WRITERS) {
      const ofLmdb: Measured[] = []
      const ofPostgres: Measured[] = []
      for (let round = 0; round < ROUNDS; round++) {
        ofLmdb.push(await measure(lmdb, shape, writers, MEASURED))
        if (postgres) ofPostgres.push(await measure(postgres, shape, writers, MEASURED, cluster))
      }
      const ratio = (of: (each: Measured) => number) => spread(ofPostgres.map((each, round) => of(each) / of(ofLmdb[round]!)))
      result[`${shape}_by_${writers}`] = {
        lmdb: shown(ofLmdb),
        ...(postgres && {
          postgres: shown(ofPostgres),
          ratio: { rate: ratio(({ perSecond }) => perSecond), service_cpu: ratio(({ ownMs }) => ownMs) },
        }),
      }
    }
  }
  report('commits with lmdb and with PostgreSQL on this machine', {
    rounds: ROUNDS,
    cores: cpus().length,
    disk_ms: await syncTimes(dir, amount(200, 20)),
    ...(noPostgres ? { note: noPostgres } : {}),
    ...result,
  })
} finally {
  await postgres?.close()
  await cluster?.stop()
  await lmdb.close()
  await rm(dir, { recursive: true })
}
