/** Removes compiled files whose source is gone, so that a test that was deleted or moved does not run on. The compiler leaves them. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2]
/** Bundles have no source of their name (scripts/dashboard.mjs, scripts/threads.mjs), nor has the library (scripts/library.mjs). */
const isCompiled = (name) => /\.js(\.map)?$/.test(name) && !/^(dashboard|node_modules)[/\\]|\.bundle\.js/.test(name)
const compiled = existsSync(folder) ? readdirSync(folder, { recursive: true }).filter(isCompiled) : []
for (const name of compiled) {
  if (!existsSync(name.replace(/\.js(\.map)?$/, '.ts'))) rmSync(join(folder, name))
}
