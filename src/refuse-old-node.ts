/** The first import of a program. It ends the program on an old Node, before other packages fail in various ways. */
import { BRAND } from './domain/brand.ts'
import { whyTooOld } from './node-version.ts'

const problem = whyTooOld(process.versions.node)
if (problem !== undefined) {
  process.stderr.write(`${BRAND}: ${problem}\n`)
  process.exit(1)
}
