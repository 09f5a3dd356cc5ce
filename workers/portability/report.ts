/**
 * Builds the report of an import or of a dry run, from counts and sentences, without phone numbers, addresses and keys.
 */
import { CATEGORIES, type CategoryType, type Counted } from './categories.ts'

export interface ImportReport {
  source: string
  categories: readonly (Counted & { category: CategoryType; without: string | null })[]
  notes: readonly string[]
}

export const reportOf = (
  source: string,
  counts: Readonly<Record<CategoryType, Counted>>,
  notes: readonly string[],
): ImportReport => ({
  source,
  categories: CATEGORIES.map(({ type, without }) => {
    const counted = counts[type]
    return { category: type, ...counted, without: counted.found > counted.taken ? without : null }
  }),
  notes,
})

export function sentencesOf({ categories, notes }: ImportReport): string[] {
  const lines = categories.flatMap(({ category, found, taken, converted, unreadable, leftOut, without }) => {
    if (found === 0) return []
    const { nouns } = CATEGORIES.find(({ type }) => type === category)!
    const rest = [
      ...(converted > 0 ? [`${converted} converted`] : []),
      ...(leftOut > 0 ? [`${leftOut} left out`] : []),
      ...(unreadable > 0 ? [`${unreadable} not readable`] : []),
    ]
    const counts = [`${taken} taken`, ...rest].join(', ')
    return [`${found} ${nouns[found === 1 ? 0 : 1]}: ${counts}.${without === null ? '' : ` ${without}`}`]
  })
  return [...lines, ...notes]
}
