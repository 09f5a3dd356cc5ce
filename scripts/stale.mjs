/**
 * Removes compiled files whose source was deleted or moved. The compiler does not remove them, and the tests among them
 * would still run.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2]
/**
 * Returns true if the file must have a source. Files in four folders have no source of the same name: the dashboard,
 * the copied library, the program that tests start, and the chunks of the shard's bundle.
 */
const isCompiled = (name) =>
  /\.js(\.map)?$/.test(name) && !/^(dashboard|node_modules|program|workers[/\\]shard[/\\]chunks)[/\\]/.test(name)
const compiled = existsSync(folder) ? readdirSync(folder, { recursive: true }).filter(isCompiled) : []
for (const name of compiled) {
  if (!existsSync(name.replace(/(\.bundle)?\.js(\.map)?$/, '.ts'))) rmSync(join(folder, name))
}
