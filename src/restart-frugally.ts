import { accessSync, constants } from 'node:fs'

/** Flags that save memory. V8 reads them only at the start of a process. */
export const MEMORY_FLAGS = ['--max-semi-space-size=2', '--v8-pool-size=1']
/**
 * Settings of glibc, which reads them only at the start of a process. Without these settings, glibc keeps the memory of
 * large bodies after they were read, and free memory for each thread.
 */
export const MEMORY_SETTINGS = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '1048576' }

interface Replaceable {
  /**
   * Replaces this process by another program. Absent before Node 22.15. The service then runs as it was started: a
   * second process would need more memory than the flags and settings save.
   */
  execve?(file: string, args: readonly string[], environment: NodeJS.ProcessEnv): never
}

/**
 * The variable that has the id of the process which was replaced. The new process has the same id; a child process has
 * another one.
 */
const RESTARTED = 'RESTARTED_FRUGALLY'

/**
 * Replaces this process by one with the flags and settings that it lacks. Values that the operator has given are kept.
 * Returns if nothing is lacking, or if this process cannot be replaced.
 */
export function restartFrugally(): void {
  const { execPath, execArgv, platform, argv } = process
  const env = process.env
  // The system may have removed the settings again, as glibc does for a program with more rights than its user.
  if (env[RESTARTED] === String(process.pid)) return
  // Node accepts both `-` and `_` in the names of these flags.
  const options = (env.NODE_OPTIONS ?? '').replaceAll('_', '-')
  const flags = MEMORY_FLAGS.filter((flag) => !execArgv.includes(flag) && !options.includes(flag.split('=')[0]!))
  const lacksSettings = platform === 'linux' && Object.keys(MEMORY_SETTINGS).some((name) => env[name] === undefined)
  // A parent process (pm2, `fork()`) may have a channel to this process. The channel would be lost.
  const hasChannel = process.send !== undefined
  if (hasChannel || platform === 'win32' || (flags.length === 0 && !lacksSettings)) return
  try {
    // If the program was removed since this process started, `execve` would end this process instead of throwing. So
    // this line throws then.
    accessSync(execPath, constants.X_OK)
    ;(process as Replaceable).execve?.(execPath, [argv[0]!, ...flags, ...execArgv, ...argv.slice(1)], {
      ...MEMORY_SETTINGS,
      ...env,
      [RESTARTED]: String(process.pid),
    })
  } catch {
    // Node may refuse to run programs if it was started with `--permission`. The service then runs as it was started.
  }
}
