/**
 * Removes compiled files whose source was deleted or moved: the compiler does not remove them, and a deleted test would
 * still run.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2]
/**
 * Whether a file must have a source with the same name. Bundles (scripts/dashboard.mjs, scripts/threads.mjs) and the library (scripts/library.mjs)
 * have none.
 */
const isCompiled = (name) => /\.js(\.map)?$/.test(name) && !/^(dashboard|node_modules)[/\\]|\.bundle\.js/.test(name)
const compiled = existsSync(folder) ? readdirSync(folder, { recursive: true }).filter(isCompiled) : []
for (const name of compiled) {
  if (!existsSync(name.replace(/\.js(\.map)?$/, '.ts'))) rmSync(join(folder, name))
}
