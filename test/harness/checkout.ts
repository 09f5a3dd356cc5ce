/** Paths of the repository, and how its modules are run: the same from source (tsx) and compiled (`npm test`). */
import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

function rootAbove(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder
  return rootAbove(new URL('../', folder))
}

/** Source files are read from here; modules to run are named relative to the test that runs them. Ends in a slash. */
export const ROOT = rootAbove(new URL('.', import.meta.url))

/** Arguments for node that make it run the same kind of code as this: hooks for TypeScript, or none. */
export const HOOKS = extname(import.meta.url) === '.ts' ? ['--import', 'tsx'] : []

/** URL of a module of the repository or of the tests, with the extension that the caller runs with: `path` relative to the caller's, without one. */
export const sameKind = (path: string, from: string) => new URL(`${path}${extname(from)}`, from)

/** Arguments for node that run a module of the repository: `path` relative to the caller's, without extension. */
export const program = (path: string, from: string) => [...HOOKS, fileURLToPath(sameKind(path, from))]
