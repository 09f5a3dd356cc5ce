/**
 * Measures the memory of the threads of a service after a full garbage collection. The service must have preloaded
 * `heap.mjs`.
 */
import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const MODULE = fileURLToPath(new URL('./heap.mjs', import.meta.url))
const fileIn = (dir: string) => join(dir, 'heap.json')

export const heapEnv = (dir: string) => ({ NODE_OPTIONS: `--import ${MODULE}`, BENCH_HEAP: fileIn(dir) })

/** Returns the memory in MB of the main thread and of all shards together: objects and their buffers. */
export async function heapOf(child: ChildProcess, dir: string): Promise<{ main_mb: number; shards_mb: number }> {
  const file = fileIn(dir)
  rmSync(file, { force: true })
  child.kill('SIGUSR2')
  while (!existsSync(file)) await sleep(20)
  await sleep(20)
  return JSON.parse(readFileSync(file, 'utf8'))
}
