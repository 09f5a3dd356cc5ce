#!/usr/bin/env node
/**
 * The command of the package: `npx svc` starts the service, `npx svc sandbox` the service on a simulated network, and
 * `npx svc cli …` runs an operator command.
 */

/** Flags that save memory. A shebang cannot give them, because the `env` of BusyBox has no option `-S`. */
const FLAGS = ['--max-semi-space-size=2', '--v8-pool-size=1']

interface Replaceable {
  /**
   * Replaces this process by another program. The function exists since Node 22.15; with an older Node, the service
   * runs without the flags.
   */
  execve?(file: string, args: readonly string[], environment: NodeJS.ProcessEnv): never
}

const [program, , first] = process.argv
const { execPath, execArgv, platform } = process
const isService = first !== 'cli'
if (isService && platform !== 'win32' && !FLAGS.every((flag) => execArgv.includes(flag))) {
  const words = [program!, ...FLAGS, ...execArgv, ...process.argv.slice(1)]
  ;(process as Replaceable).execve?.(execPath, words, process.env)
}
if (!isService) process.argv.splice(2, 1)
if (first === 'sandbox') process.argv.splice(2, 1, '--sandbox')
await (isService ? import('./start.ts') : import('./cli.ts'))

export {}
