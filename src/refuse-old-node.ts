/**
 * The first import of a program: it ends an old Node before the packages behind it are loaded, which fail there each in a way of its own.
 * It exits where others throw, because an error of an import is printed with its stack.
 */
import { BRAND } from './domain/brand.ts'
import { whyTooOld } from './node-version.ts'

const problem = whyTooOld(process.versions.node)
if (problem !== undefined) {
  process.stderr.write(`${BRAND}: ${problem}\n`)
  process.exit(1)
}
