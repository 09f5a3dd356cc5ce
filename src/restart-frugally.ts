/** Flags that save memory. V8 reads them only at the start of a process. */
const FLAGS = ['--max-semi-space-size=2', '--v8-pool-size=1']
/**
 * Settings of glibc, which reads them only at the start of a process. Without them, it keeps the memory of large bodies
 * after they were read, and free memory for each thread.
 */
const SETTINGS = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '1048576' }

interface Replaceable {
  /**
   * Replaces this process by another program. The function exists since Node 22.15. With an older Node and on Windows,
   * the service runs as it was started, because a second process beside this one would need more memory than the flags
   * and settings save.
   */
  execve?(file: string, args: readonly string[], environment: NodeJS.ProcessEnv): never
}

/**
 * Replaces this process by one with the same program and arguments, and with the flags and settings that it lacks. Values
 * that the operator has given are kept. Returns if nothing is lacking, or if this process cannot be replaced.
 */
export function restartFrugally(): void {
  const { execPath, execArgv, platform, argv } = process
  const flags = FLAGS.filter((flag) => !execArgv.includes(flag))
  const lacksSettings = platform === 'linux' && Object.keys(SETTINGS).some((name) => process.env[name] === undefined)
  // A parent process (pm2, `fork()`) may have a channel to this process. The channel would be lost.
  const hasChannel = process.send !== undefined
  if (hasChannel || platform === 'win32' || (flags.length === 0 && !lacksSettings)) return
  try {
    ;(process as Replaceable).execve?.(execPath, [argv[0]!, ...flags, ...execArgv, ...argv.slice(1)], {
      ...SETTINGS,
      ...process.env,
    })
  } catch {
    // With `--permission` Node may refuse to run programs. The service then runs as it was started, which also works.
  }
}
