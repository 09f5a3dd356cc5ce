/**
 * Measures the memory of the threads of a service after a full garbage collection. The service must have preloaded
 * `heap.mjs`.
 */
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asked } from './asked.ts'

const MODULE = fileURLToPath(new URL('./heap.mjs', import.meta.url))
const fileIn = (dir: string) => join(dir, 'heap.json')

export const heapEnv = (dir: string) => ({ NODE_OPTIONS: `--import ${MODULE}`, BENCH_HEAP: fileIn(dir) })

/** Returns the memory in MB of the main thread and of all shards together: objects and their buffers. */
export const heapOf = (child: ChildProcess, dir: string) => asked<{ main_mb: number; shards_mb: number }>(child, fileIn(dir))
