/**
 * Removes compiled files whose source was deleted or moved. The compiler does not remove them, and the tests among them
 * would still run.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2]
/**
 * Returns true if a compiled file needs a source with the same name. Four folders need none: the dashboard, the copied
 * library, the program that tests start and the second part of the shard's bundle. A bundle of a thread needs the
 * source of the thread's main module.
 */
const isCompiled = (name) =>
  /\.js(\.map)?$/.test(name) && !/^(dashboard|node_modules|program|workers[/\\]shard[/\\]chunks)[/\\]/.test(name)
const compiled = existsSync(folder) ? readdirSync(folder, { recursive: true }).filter(isCompiled) : []
for (const name of compiled) {
  if (!existsSync(name.replace(/(\.bundle)?\.js(\.map)?$/, '.ts'))) rmSync(join(folder, name))
}
