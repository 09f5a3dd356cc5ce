/** Test hook (`SVC_TEST_KILL_AT`): kills the process between two steps. */
import type { Steps } from './domain/steps.ts'

/**
 * Returns a function that is called at each step. For `step` or `step:count`, it ends the process with SIGKILL the
 * first (or count-th) time that the step is reached.
 */
export function createKillAt(killAt: string | null): Steps {
  if (killAt === null) return () => {}
  const [, step, count] = /^(.*?)(?::(\d+))?$/.exec(killAt)!
  let left = count === undefined ? 1 : Number(count)
  return (reached) => {
    if (reached === step && --left === 0) process.kill(process.pid, 'SIGKILL')
  }
}
