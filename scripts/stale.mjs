/** Removes compiled files whose source was deleted or moved, because the compiler leaves them and a deleted test would still run. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2]
/** Bundles have no source of their name (scripts/dashboard.mjs, scripts/threads.mjs), and neither has the library (scripts/library.mjs). */
const isCompiled = (name) => /\.js(\.map)?$/.test(name) && !/^(dashboard|node_modules)[/\\]|\.bundle\.js/.test(name)
const compiled = existsSync(folder) ? readdirSync(folder, { recursive: true }).filter(isCompiled) : []
for (const name of compiled) {
  if (!existsSync(name.replace(/\.js(\.map)?$/, '.ts'))) rmSync(join(folder, name))
}
