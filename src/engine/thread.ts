/** Where a thread's main module lies and how it is loaded: compiled beside us in dist, or as source under tsx. */
import { extname } from 'node:path'

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
