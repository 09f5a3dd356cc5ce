/** Where the repository is, and how one of its modules is run, the same from source (tsx) and compiled (`npm test`). */
import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { threadModule } from '../../src/engine/thread.ts'

function rootAbove(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder
  return rootAbove(new URL('../', folder))
}

/** Sources are read from here; what is run is named relative to the test that runs it. Ends in a slash. */
export const ROOT = rootAbove(new URL('.', import.meta.url))

/** Arguments for node that make it run code of the same kind as this: hooks for TypeScript, or none. */
export const HOOKS = extname(import.meta.url) === '.ts' ? ['--import', 'tsx'] : []

/** Arguments for node that run a module of the repository: `path` relative to the caller's, without extension. */
export const program = (path: string, from: string) => [...HOOKS, fileURLToPath(threadModule(path, from))]
