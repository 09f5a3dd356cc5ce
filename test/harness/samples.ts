import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ROOT } from './checkout.ts'

export interface Sample {
  /** Path of the page, and number of the line on which the code begins. */
  place: string
  /** Language of the block; empty if the page names none. */
  language: string
  code: string
}

/** Returns the code blocks of a page. A block in a list is returned without the indentation of its list item. */
export function samplesOf(page: string): Sample[] {
  const text = readFileSync(new URL(page, ROOT), 'utf8')
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(({ index, 1: indent, 2: language = '', 3: code = '' }) => ({
    place: `${page}:${text.slice(0, index).split('\n').length + 1}`,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

export function sampleWith(page: string, words: string): string {
  const [found, ...others] = samplesOf(page).filter(({ code }) => code.includes(words))
  if (found === undefined || others.length > 0)
    throw new Error(`${page} has ${others.length + (found ? 1 : 0)} samples with "${words}"`)
  return found.code
}

/**
 * Returns the arguments of the only `npm run cli -- …` command on a page that ends in these words. `values` replace
 * placeholders such as `<id>`.
 */
export function cliSample(page: string, words: string, values: Readonly<Record<string, string>> = {}): string[] {
  const lines = samplesOf(page).flatMap(({ code }) => code.split('\n').map((line) => line.replace(/ +#.*$/, '')))
  const [found, ...others] = lines.filter((line) => line.startsWith('npm run cli -- ') && line.endsWith(words))
  if (found === undefined || others.length > 0)
    throw new Error(`${page} has ${others.length + (found ? 1 : 0)} commands with "${words}"`)
  const [, , , , ...given] = found.split(/\s+/)
  return given.map((word) => values[word] ?? word)
}

/**
 * Folders in which programs are searched: those in `PATH`, and the folders of programs for administrators, which are
 * often missing in the `PATH` of other users.
 */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin']

export const installed = (name: string): string | undefined =>
  FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path))

/** Returns the reason to skip a test that needs the program; false if it is installed. */
export const missing = (name: string): string | false => (installed(name) === undefined ? `${name} is not installed` : false)
