/** Paths of the repository, and how its modules are run. Both work from source (tsx) and compiled (`npm test`). */
import { existsSync, readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { fileURLToPath } from 'node:url'

function rootAbove(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder
  return rootAbove(new URL('../', folder))
}

/** Root folder of the repository; the path ends in a slash. */
export const ROOT = rootAbove(new URL('.', import.meta.url))

export const textOf = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

/**
 * Arguments of node for modules of the same kind as this file: hooks for TypeScript if this file is source, and none if
 * it is compiled.
 */
export const HOOKS = extname(import.meta.url) === '.ts' ? ['--import', 'tsx'] : []

/**
 * Returns the URL of a module. `path` is relative to the caller (`from`) and has no extension; the result has the
 * extension of the caller's file.
 */
export const sameKind = (path: string, from: string) => new URL(`${path}${extname(from)}`, from)

/**
 * Returns the arguments with which node runs a module. `path` is relative to the caller (`from`) and has no extension.
 */
export const program = (path: string, from: string) => [...HOOKS, fileURLToPath(sameKind(path, from))]

/**
 * Returns the URL of the bundle of this module that `scripts/test-program.mjs` made, or of the module itself if this file
 * is source. A bundle is loaded faster than the many modules that it consists of.
 */
export const bundleOf = (path: string, from: string) =>
  HOOKS.length > 0 ? sameKind(path, from) : new URL(`../../program/${basename(path)}.js`, import.meta.url)

/** Arguments of node for the service (`START`) and for the operator commands (`CLI`). */
export const START = [...HOOKS, fileURLToPath(bundleOf('../../src/start', import.meta.url))]
export const CLI = [...HOOKS, fileURLToPath(bundleOf('../../src/cli', import.meta.url))]
