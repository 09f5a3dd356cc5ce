/** Where a thread's main module lies and how it is loaded: compiled beside us in dist, or as source under tsx; and what bounds its memory. */
import { extname } from 'node:path'
import { setFlagsFromString } from 'node:v8'

/** `path` relative to the caller's module, without its extension: threads have the extension of whoever makes them. */
export const threadModule = (path: string, from: string) => new URL(`${path}${extname(from)}`, from)

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
