/** Clocks that stop while a process is stopped with SIGSTOP, as in a virtual machine that is paused. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathOf } from './deploy-files.ts'
import { compilePreloaded } from './preloaded.ts'

const NS_PER_MS = 1_000_000n

export interface StoppedClocks {
  /** Reason why this machine cannot have such clocks; false if it can. */
  reason: string | false
  /** Environment variables of the process. */
  env: Record<string, string>
  /** Must be called before the process continues. `ms`: for how long it was stopped in all. */
  wereStopped(ms: number): void
}

/** Creates the clocks of one process. `dir` is a folder for their two files. */
export function createStoppedClocks(dir: string): StoppedClocks {
  const [library, behind] = [join(dir, 'stopped-clocks.so'), join(dir, 'clocks-behind')]
  const reason = compilePreloaded(pathOf('test/harness/stopped-clocks.c'), library)
  writeFileSync(behind, new BigInt64Array(1))
  return {
    reason,
    env: reason === false ? { LD_PRELOAD: library, CLOCKS_BEHIND: behind } : {},
    // The process has mapped the file, so it is changed in place.
    wereStopped: (ms) => writeFileSync(behind, BigInt64Array.of(BigInt(Math.round(ms)) * NS_PER_MS), { flag: 'r+' }),
  }
}
