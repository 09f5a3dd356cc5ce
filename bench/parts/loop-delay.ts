/** Measures the delay of the event loops of a service that has preloaded `loop-delay.mjs`. */
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asked } from './asked.ts'

const MODULE = fileURLToPath(new URL('./loop-delay.mjs', import.meta.url))
const fileIn = (dir: string) => join(dir, 'loop.json')

interface LoopDelay {
  p99_ms: number
  max_ms: number
}

/** Delays of the loop of the main thread, and of the slowest shard. */
export interface LoopDelays {
  main: LoopDelay
  shard: LoopDelay
}

export const loopEnv = (dir: string) => ({ NODE_OPTIONS: `--import ${MODULE}`, BENCH_LOOP: fileIn(dir) })

/**
 * Returns the delays since the measurement began. The first measurement begins with the start of the service, each
 * later one with `beginLoopDelays`.
 */
export const endLoopDelays = (child: ChildProcess, dir: string) => asked<LoopDelays>(child, fileIn(dir))

/** Begins a measurement. The one before must have ended. */
export async function beginLoopDelays(child: ChildProcess, dir: string): Promise<void> {
  await asked<LoopDelays>(child, fileIn(dir))
}
