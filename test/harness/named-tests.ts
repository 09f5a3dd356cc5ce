/**
 * Tests that a document refers to: the last cell of a row is `` `test/…ts`: title / title; `test/…ts`: title ``, where a title is a part of the
 * test's title.
 */
import { readFileSync } from 'node:fs'
import { ROOT } from './checkout.ts'

/** One sentence for each test that does not exist, and one for a row without tests. */
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
