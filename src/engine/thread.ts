/** Where a thread's main module lies and how it is loaded: bundled in the compiled service, or as source under tsx; and what bounds its memory. */
import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { setFlagsFromString } from 'node:v8'

/**
 * URL of a thread's main module: the bundle that `scripts/threads.mjs` makes of it, or the source where the caller runs as source. Throws when there
 * is no such file: Piscina would wait for the thread for ever.
 *
 * @param path relative to the caller's module, without an extension
 * @param from `import.meta.url` of the caller
 */
export function threadModule(path: string, from: string): URL {
  const module = new URL(`${path}${extname(from) === '.ts' ? '.ts' : '.bundle.js'}`, from)
  if (!existsSync(module))
    throw new Error(`${module.pathname} does not exist; scripts/threads.mjs lists the modules that are bundled.`)
  return module
}

/**
 * Flags for a thread. Node 20 gives a new thread no module hooks, and `--import tsx` registers them in the main thread only; without
 * this, Piscina falls back to `require`, which loads a second, CommonJS copy of every module, and fails at Baileys (a module that
 * awaits). Undefined for compiled code: the process's own flags.
 */
export function threadFlags(module: URL): string[] | undefined {
  if (extname(module.pathname) !== '.ts') return undefined
  const hooks = `import { register } from '${import.meta.resolve('tsx/esm/api')}'; register()`
  return ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`]
}

/**
 * Limits of a thread's objects, in MB. V8 lets a flag of the process (`--max-semi-space-size`, which is for the main thread: `deploy/`) overrule
 * those of every thread made after it, so it is taken back first; the main thread keeps what it began with.
 */
export function memoryLimits(oldMb: number, youngMb: number) {
  setFlagsFromString('--max-semi-space-size=0')
  return { maxOldGenerationSizeMb: oldMb, maxYoungGenerationSizeMb: youngMb }
}
