/**
 * Locates the main module of a thread: a bundle in the compiled service, or source under tsx. It also sets the memory
 * limits of threads.
 */
import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { setFlagsFromString } from 'node:v8'

/**
 * Returns the URL of a thread's main module. Throws if the file does not exist, because Piscina would wait for the
 * thread forever.
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
 * Returns the flags for a thread that runs from source; undefined for compiled code. A new thread has no module hooks
 * in Node 20, and Piscina would then fall back to `require`, which fails at Baileys (top-level await).
 */
export function threadFlags(module: URL): string[] | undefined {
  if (extname(module.pathname) !== '.ts') return undefined
  const hooks = `import { register } from '${import.meta.resolve('tsx/esm/api')}'; register()`
  return ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`]
}

/**
 * Returns the memory limits of a thread, in MB. The V8 flag `--max-semi-space-size`, which `deploy/` sets for the main
 * thread, would override them, so it is reset first.
 */
export function memoryLimits(oldMb: number, youngMb: number) {
  setFlagsFromString('--max-semi-space-size=0')
  return { maxOldGenerationSizeMb: oldMb, maxYoungGenerationSizeMb: youngMb }
}
