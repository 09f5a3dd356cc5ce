#!/usr/bin/env node
/**
 * The command of the package: `npx svc` starts the service, `npx svc sandbox` starts it on a simulated network, and
 * `npx svc cli …` runs an operator command.
 */

/** Flags that save memory. A shebang cannot give them, because the `env` of BusyBox has no option `-S`. */
const FLAGS = ['--max-semi-space-size=2', '--v8-pool-size=1']

interface Replaceable {
  /**
   * Replaces this process by another program. The function exists since Node 22.15. With an older Node and on Windows,
   * the service runs without the flags: V8 reads them only at its start, and a second process beside this one would
   * need more memory than the flags save.
   */
  execve?(file: string, args: readonly string[], environment: NodeJS.ProcessEnv): never
}

const [program, , first] = process.argv
const { execPath, execArgv, platform } = process
const isService = first !== 'cli'
/** True if a parent process (pm2, `fork()`) has a channel to this process. The channel would be lost. */
const hasChannel = process.send !== undefined
if (isService && !hasChannel && platform !== 'win32' && !FLAGS.every((flag) => execArgv.includes(flag))) {
  const words = [program!, ...FLAGS, ...execArgv, ...process.argv.slice(1)]
  try {
    ;(process as Replaceable).execve?.(execPath, words, process.env)
  } catch {
    // With `--permission` Node may refuse to run programs. The service then runs without the flags, which also works.
  }
}
if (!isService) process.argv.splice(2, 1)
if (first === 'sandbox') process.argv.splice(2, 1, '--sandbox')
await (isService ? import('./start.ts') : import('./cli.ts'))

export {}
