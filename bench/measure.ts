/** What the benches share: a network and a gateway as processes, their CPU and memory, and one JSON line per result. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createGateway, type Gateway } from '../test/harness/gateway.ts'
import { networkEnv, type Running, run } from '../test/harness/process.ts'
import { createSandbox, type Sandbox } from '../test/harness/sandbox.ts'

export interface Bench {
  dir: string
  network: Running
  sandbox: Sandbox
  /** Starts the service on the bench's data folder; the admin key is the one of the first start. */
  serve(env?: Record<string, string>): Promise<{ service: Running; gateway: Gateway }>
  end(): Promise<void>
}

const root = fileURLToPath(new URL('..', import.meta.url))
/** What users run: compiled. From source every thread would carry a compiler with it. */
const PROGRAM = [join(root, 'dist/src/start.js')]

export async function startBench(): Promise<Bench> {
  await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: root })
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  const network = await run(['--network-only'], { SVC_DATA_DIR: join(dir, 'network'), SVC_SANDBOX_PORT: '0' }, PROGRAM)
  const sandbox = createSandbox(network.printed.sandbox_url!)
  const running = new Set<Running>([network])
  let adminKey: string | null = null
  let apiKey: string | undefined
  return {
    dir,
    network,
    sandbox,
    async serve(env = {}) {
      const settings = { SVC_DATA_DIR: join(dir, 'service'), SVC_PORT: '0', SVC_INSTANCE_SLOTS: '1000' }
      const service = await run([], { ...networkEnv(network.printed), ...settings, ...env }, PROGRAM)
      running.add(service)
      void service.ended.then(() => running.delete(service))
      adminKey ??= service.printed.admin_key
      const gateway = await createGateway(service.printed.base_url!, adminKey!, apiKey)
      apiKey = gateway.key
      return { service, gateway }
    },
    async end() {
      for (const each of [...running].reverse()) await each.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Clock ticks per second of /proc: 100 on every Linux in use. */
const TICKS = 100

/** CPU time a process has used, or one thread of it, user and system, in ms. The main thread has the process's number. Linux only. */
export function cpuMs(pid: number, thread?: number): number {
  const stat = readFileSync(thread === undefined ? `/proc/${pid}/stat` : `/proc/${pid}/task/${thread}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS
}

/** Resident memory of a process in MB. Linux only. */
export function rssMb(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) / 1_024
}

export const round = (value: number, digits = 2) => Number(value.toFixed(digits))
export const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** One JSON line: what was asked, on what machine, what came out. */
export function report(question: string, result: Record<string, unknown>): void {
  const machine = `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim() ?? 'cpu'}`
  process.stdout.write(`${JSON.stringify({ question, machine, ...result })}\n`)
}

/** Never ends in 0000: such numbers have no account on the sandbox network. */
export const phoneNumber = (index: number) => `55119000${11_111 + index}`

/** Pairs `count` instances, a few at a time. */
export async function connectMany(gateway: Gateway, sandbox: Sandbox, from: number, count: number): Promise<void> {
  const AT_ONCE = 8
  for (let start = from; start < from + count; start += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, from + count - start) }, (_, index) => start + index)
    await Promise.all(batch.map((index) => gateway.connected(sandbox, phoneNumber(index), null, { name: `bench ${index}` })))
  }
}

export async function countConnected(gateway: Gateway): Promise<number> {
  const response = await fetch(`${gateway.baseUrl}/account/instances?status=connected&page_size=1`, { headers: gateway.account })
  return ((await response.json()) as { total: number }).total
}

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
