/**
 * Shared parts of the benches: they start a network and a gateway as processes, measure CPU and memory, and write one
 * JSON line per result.
 */
import { execFile } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { MEMORY_SETTINGS } from '../src/restart-frugally.ts'
import { newestMeta } from '../src/storage/drivers/lmdb-pages.ts'
import { createGateway, type Gateway, type Instance } from '../test/harness/gateway.ts'
import { startCluster } from '../test/harness/postgres.ts'
import { networkEnv, type Running, run } from '../test/harness/process.ts'
import { createSandbox, type Sandbox } from '../test/harness/sandbox.ts'
import { postgresEnv } from '../test/harness/store-env.ts'
import type { Bare } from './parts/bare.ts'
import { type Part, startPart } from './parts/calls.ts'
import { type Cores, type CpuSource, cpuMs, medianCores, watchCores } from './parts/cores.ts'
import type { Driver } from './parts/driver.ts'
import { inLanes } from './parts/in-lanes.ts'
import { spread } from './parts/numbers.ts'
import type { Receiver } from './parts/receiver.ts'

export { type Cores, cpuMs, medianCores, watchCores } from './parts/cores.ts'
export { median, round, type Spread, type Summary, spread, summary } from './parts/numbers.ts'

/**
 * `BENCH_SMOKE=1` only checks whether a bench works. `BENCH_FULL=1` uses larger amounts, which would take too long in a
 * run of all benches.
 */
export const SMOKE = process.env.BENCH_SMOKE === '1'
export const amount = <T = number>(usual: T, smoke: T, full: T = usual): T =>
  SMOKE ? smoke : process.env.BENCH_FULL === '1' ? full : usual
/** Number of rounds of a measurement. The median of fewer than five rounds is unreliable. */
export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? amount(5, 1))

export interface Bench {
  dir: string
  network: Running
  sandbox: Sandbox
  serve(env?: Record<string, string>): Promise<{ service: Running; gateway: Gateway }>
  /**
   * Starts a service of this checkout in the data folder `name`. It can run at the same time as the service that
   * `serve` has started.
   */
  start(name: string, env: Record<string, string>): Promise<Running>
  serveOther(checkout: string, env?: Record<string, string>): Promise<{ service: Running; gateway: Gateway }>
  end(): Promise<void>
}

process.on('SIGTERM', () => process.exit(143))

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Builds a checkout, because users run compiled code. Returns the arguments with which node starts it: the flags in its
 * `npm start`, and the program.
 */
const built = async (checkout: string) => {
  // If `BENCH_BUILT` is set, `run.ts` has already built this checkout.
  if (checkout !== root || process.env.BENCH_BUILT !== '1')
    await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: checkout })
  const { scripts } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const [, flags = ''] = /&& node (.*?) ?dist\/src\/[\w-]+\.js$/.exec(scripts.start) ?? []
  return [...flags.split(' ').filter(Boolean), join(checkout, 'dist/src/start.js')]
}

/**
 * True with `BENCH_STORE=postgres`. Then the store of each service is a schema of one PostgreSQL server; otherwise it
 * is lmdb.
 */
const IS_POSTGRES = process.env.BENCH_STORE === 'postgres'

/** Starts a network. `base` is the folder in which the network and the services have their data. */
export async function startBench(base = tmpdir()): Promise<Bench> {
  const program = await built(root)
  const dir = await mkdtemp(join(base, 'svc-bench-'))
  // The simulated network writes its whole state in one go. With a hundred phones each write would block it for a
  // tenth of a second, so writing is switched off.
  const kept = { SVC_DATA_DIR: join(dir, 'network'), SVC_SANDBOX_KEEP: 'off' }
  const network = await run(['--network-only'], { ...kept, SVC_SANDBOX_PORT: '0' }, program)
  const sandbox = createSandbox(network.printed.sandbox_url!)
  const running = new Set<Running>([network])
  const postgres = IS_POSTGRES ? await startCluster({ shared_buffers: '128MB' }) : undefined
  let adminKey: string | null = null
  let apiKey: string | undefined
  async function start(name: string, env: Record<string, string>, args = program) {
    const store = postgres ? postgresEnv(postgres.url(''), name) : {}
    const settings = { SVC_DATA_DIR: join(dir, name), SVC_PORT: '0', SVC_INSTANCE_SLOTS: '1000', ...store }
    const service = await run([], { ...MEMORY_SETTINGS, ...networkEnv(network.printed), ...settings, ...env }, args)
    running.add(service)
    void service.ended.then(() => running.delete(service))
    return service
  }
  return {
    dir,
    network,
    sandbox,
    start,
    async serve(env = {}) {
      const service = await start('service', env)
      adminKey ??= service.printed.admin_key
      const gateway = await createGateway(service.printed.base_url!, adminKey!, apiKey)
      apiKey = gateway.key
      return { service, gateway }
    },
    async serveOther(checkout, env = {}) {
      const service = await start('other', { SVC_SHARDS: '1', ...env }, await built(checkout))
      return { service, gateway: await createGateway(service.printed.base_url!, service.printed.admin_key!) }
    },
    async end() {
      for (const each of [...running].reverse()) await each.stop()
      await postgres?.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function statusMb(pid: number, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) / 1_024
}

/** Returns the resident memory of a process in MB. Linux only. */
export const rssMb = (pid: number) => statusMb(pid, 'VmRSS')

/**
 * Returns the part of the resident memory that is pages of files, in MB: code and mapped pages of the store. The kernel
 * reclaims them when another process needs memory. Linux only.
 */
export const fileMb = (pid: number) => statusMb(pid, 'RssFile')

/**
 * Returns the part of the resident memory that the process has allocated, in MB: objects, buffers and compiled code.
 * Linux only.
 */
export const anonMb = (pid: number) => statusMb(pid, 'RssAnon')

/** Returns the number of commits of an lmdb store until now, or NaN if the store is not lmdb. */
export function commitsOf(stateDir: string): number {
  if (IS_POSTGRES) return Number.NaN
  const file = openSync(join(stateDir, 'data.mdb'), 'r')
  try {
    return Number(newestMeta(file).txnId)
  } finally {
    closeSync(file)
  }
}

export function report(question: string, result: Record<string, unknown>): void {
  const machine = `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim() ?? 'cpu'}`
  process.stdout.write(`${JSON.stringify({ question, machine, ...result })}\n`)
}

/**
 * Returns the phone number with this index, which must be below 8,889. The number with the index 8,889 ends in 0000,
 * and such numbers have no account on the sandbox network.
 */
export const phoneNumber = (index: number) => `55119000${11_111 + index}`

export const phoneNumbers = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => phoneNumber(from + index))

/** Maximum number of instances that are paired at a time. */
const PAIRED_AT_ONCE = 8

export function connectMany(
  gateway: Gateway,
  sandbox: Sandbox,
  from: number,
  count: number,
  webhooks: object = {},
): Promise<Instance[]> {
  const all = Array.from({ length: count }, (_, index) => from + index)
  return inLanes(all, PAIRED_AT_ONCE, (index) =>
    gateway.connected(sandbox, phoneNumber(index), null, { name: `bench ${index}`, webhooks }),
  )
}

/**
 * A service with connected instances, the receiver of their webhooks, and the driver that calls the API. Each of the
 * three is a separate process.
 */
export interface Loaded {
  service: Running
  gateway: Gateway
  pid: number
  instances: Instance[]
  receiver: Part<Receiver>
  url: string
  driver: Part<Driver>
  /**
   * Processes that share the machine in a measurement, for `watchCores`: `service`, `network`, `client`, which includes
   * the bench itself, and `receiver`.
   */
  processes: Record<string, CpuSource>
  /** Runs `work`, and returns the CPU time in ms and the number of commits of the service, and the cores in use. */
  cost(work: () => Promise<unknown>): Promise<{ cpuMs: number; commits: number; cores: Cores }>
}

/** Environment variables that lift the limit of requests per second. */
export const UNLIMITED = { SVC_TEST_REQUESTS_PER_SECOND: '100000' }

export async function startLoaded(
  bench: Bench,
  { instances, from = 0, env = {} }: { instances: number; from?: number; env?: Record<string, string> },
): Promise<Loaded> {
  const started = await bench.serve({ ...UNLIMITED, ...env })
  const state = join(bench.dir, 'service/state')
  return loaded(bench, started, { instances, from, commits: () => commitsOf(state) })
}

interface Load {
  instances: number
  /** Index of the first phone number. */
  from: number
  /** Returns the number of commits of the store until now. Without it, `cost` reports 0 commits. */
  commits?: () => number
  /** Further processes that share the machine, for example the database server. */
  others?: Record<string, CpuSource>
}

/** Does the same as `startLoaded` for a service that already runs. */
export async function loaded(
  bench: Bench,
  { service, gateway }: { service: Running; gateway: Gateway },
  { instances: count, from, commits = () => 0, others = {} }: Load,
): Promise<Loaded> {
  const receiver = startPart<Receiver>('receiver.ts')
  const driver = startPart<Driver>('driver.ts')
  const url = await receiver.call('open')
  const instances = await connectMany(gateway, bench.sandbox, from, count, { single_url: url })
  const pid = service.child.pid!
  const processes = {
    service: pid,
    network: bench.network.child.pid!,
    client: () => cpuMs(driver.pid) + cpuMs(process.pid),
    receiver: receiver.pid,
    ...others,
  }
  return {
    service,
    gateway,
    pid,
    instances,
    receiver,
    url,
    driver,
    processes,
    async cost(work) {
      const before = { cpu: cpuMs(pid), commits: commits() }
      const cores = watchCores(processes)
      await work()
      return { cpuMs: cpuMs(pid) - before.cpu, commits: commits() - before.commits, cores: cores() }
    },
  }
}

/** The bare library in a process of its own. */
export interface Library extends Part<Bare> {
  /** Processes that share the machine in a measurement, for `watchCores`. */
  processes: Record<string, CpuSource>
  /** Runs `work`, and returns the CPU time in ms of the library, and the cores in use. */
  cost(work: () => Promise<unknown>): Promise<{ cpuMs: number; cores: Cores }>
}

export async function startBare({ network }: Bench, phones: string[], how: 'shared' | 'plain' = 'shared'): Promise<Library> {
  const bare = startPart<Bare>('bare.ts', how)
  const { url, root } = network.printed.network
  await bare.call('connect', { url: url!, root: root!, control: network.printed.sandbox_url! }, phones)
  const processes = { library: bare.pid, network: network.child.pid!, client: process.pid }
  return {
    ...bare,
    processes,
    async cost(work) {
      const [before, cores] = [cpuMs(bare.pid), watchCores(processes)]
      await work()
      return { cpuMs: cpuMs(bare.pid) - before, cores: cores() }
    },
  }
}

export const textTo = (phone: string) => JSON.stringify({ phone, message: 'text {n}', link_preview: false })

export interface Measured {
  per_s: number
  cpu_ms: number
  cores: Cores
}
export const shownSide = (all: readonly Measured[]) => ({
  per_s: spread(
    all.map(({ per_s }) => per_s),
    0,
  ),
  cpu_ms: spread(all.map(({ cpu_ms }) => cpu_ms)),
  cores: medianCores(all.map(({ cores }) => cores)),
})
export function compared(ours: readonly Measured[], theirs: readonly Measured[]) {
  const ratio = (field: 'per_s' | 'cpu_ms') => spread(ours.map((each, index) => each[field] / theirs[index]![field]))
  return { gateway: shownSide(ours), bare: shownSide(theirs), ratio: { rate: ratio('per_s'), cpu: ratio('cpu_ms') } }
}

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
