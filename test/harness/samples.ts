/** The samples in the pages for people: blocks of code, with the language that follows the opening fence. */
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ROOT } from './checkout.ts'

export interface Sample {
  /** Path of the page, and the line of the page on which the code begins. */
  place: string
  /** Language of the block; empty if the page names none. */
  language: string
  code: string
}

/** The samples of a page. A block inside of a list is indented like its item; the indentation is not part of the code. */
export function samplesOf(page: string): Sample[] {
  const text = readFileSync(new URL(page, ROOT), 'utf8')
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(({ index, 1: indent, 2: language = '', 3: code = '' }) => ({
    place: `${page}:${text.slice(0, index).split('\n').length + 1}`,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** Returns the only sample of a page that contains this text. */
export function sampleWith(page: string, words: string): string {
  const [found, ...others] = samplesOf(page).filter(({ code }) => code.includes(words))
  if (found === undefined || others.length > 0)
    throw new Error(`${page} has ${others.length + (found ? 1 : 0)} samples with "${words}"`)
  return found.code
}

/**
 * The arguments of the only `npm run cli -- …` of a page that ends in these words, with values in place of the words that a reader replaces, such as
 * `<id>` and `/path/to/auth`.
 */
export function cliSample(page: string, words: string, values: Readonly<Record<string, string>> = {}): string[] {
  const lines = samplesOf(page).flatMap(({ code }) => code.split('\n').map((line) => line.replace(/ +#.*$/, '')))
  const [found, ...others] = lines.filter((line) => line.startsWith('npm run cli -- ') && line.endsWith(words))
  if (found === undefined || others.length > 0)
    throw new Error(`${page} has ${others.length + (found ? 1 : 0)} commands with "${words}"`)
  const [, , , , ...given] = found.split(/\s+/)
  return given.map((word) => values[word] ?? word)
}

/** Folders with programs, including those for administrators, which the `PATH` of other users often lacks. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin']

/** Path of an installed program, or undefined. */
export const installed = (name: string): string | undefined =>
  FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path))

/** The reason why a test that needs the program is skipped, or false. */
export const missing = (name: string): string | false => (installed(name) === undefined ? `${name} is not installed` : false)
