/**
 * Finds the tests that the rows of a table in a document name. The last cell of a row has the format `` `test/…ts`:
 * title / title; `test/…ts`: title ``. Each title in it may be only a part of the real title.
 */
import { readFileSync } from 'node:fs'
import { ROOT } from './checkout.ts'

/**
 * Returns one sentence for each test that the row names and that does not exist, or one sentence if the row names no
 * test.
 */
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
