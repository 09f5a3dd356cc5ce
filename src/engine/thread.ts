/**
 * Locates and loads the main module of a thread: a bundle in the compiled service, or source under tsx. It also sets the memory limits of threads.
 */
import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { setFlagsFromString } from 'node:v8'

/**
 * URL of the main module of a thread: the bundle from `scripts/threads.mjs`, or the source if the caller runs as source. Throws if the file does not
 * exist, because Piscina would wait for the thread forever.
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
 * Flags for a thread. Node 20 gives a new thread no module hooks, and `--import tsx` registers them only in the main thread. Without these flags
 * Piscina falls back to `require`, which loads a second, CommonJS copy of every module and fails at Baileys (a module with top-level await).
 * Undefined for compiled code, which uses the flags of the process.
 */
export function threadFlags(module: URL): string[] | undefined {
  if (extname(module.pathname) !== '.ts') return undefined
  const hooks = `import { register } from '${import.meta.resolve('tsx/esm/api')}'; register()`
  return ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`]
}

/**
 * Memory limits of a thread's objects, in MB. The V8 flag `--max-semi-space-size`, which `deploy/` sets for the main thread, overrides the limits of
 * all threads that are created later. So the flag is reset here first; this does not change the main thread.
 */
export function memoryLimits(oldMb: number, youngMb: number) {
  setFlagsFromString('--max-semi-space-size=0')
  return { maxOldGenerationSizeMb: oldMb, maxYoungGenerationSizeMb: youngMb }
}
