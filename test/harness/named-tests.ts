/** Tests that a document names: the last cell of a row is `` `test/…ts`: title / title; `test/…ts`: title ``, a title being a piece of its own. */
import { readFileSync } from 'node:fs'
import { ROOT } from './checkout.ts'

/** One sentence for each that is not there, and one for a row without any. */
export function missingTests(row: string): string[] {
  const cell = row.split('|').at(-2) ?? ''
  const named = [...cell.matchAll(/`(test\/\S+\.ts)`: ([^;]+)/g)]
  if (named.length === 0) return [`a row without a test: ${row}`]
  return named.flatMap(([, file, titles]) => {
    const text = readFileSync(new URL(file!, ROOT), 'utf8')
    const absent = titles!.split(' / ').filter((title) => !text.includes(title.trim()))
    return absent.map((title) => `${file} has no test "${title.trim()}"`)
  })
}
