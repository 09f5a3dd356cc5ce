import { IGNORED_FIELDS } from '../domain/brand.ts'
import { MAX_UNKNOWN } from '../features/unknown-fields.ts'

export const IGNORED_HEADER = {
  name: IGNORED_FIELDS,
  description:
    'Names of request fields that do not exist and were ignored, comma-separated, as in `details.issues`; ' +
    `the first ${MAX_UNKNOWN} at most, with \`...\` for the others. Absent when there are none.`,
} as const

const MAX_NAME = 64
const MAX_VALUE = 1_024

const fit = (name: string) => name.slice(0, MAX_NAME).replace(/[^A-Za-z0-9_.$-]/g, '?')

export function ignoredFieldsValue(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const shown: string[] = []
  let length = 0
  for (const name of names.map(fit)) {
    length += name.length + 2
    if (length > MAX_VALUE) break
    shown.push(name)
  }
  const isCut = shown.length < names.length || names.length >= MAX_UNKNOWN
  return [...shown, ...(isCut ? ['...'] : [])].join(', ')
}
