/** Searches short names by words. */

const MARKS = /\p{M}/gu
/**
 * Minimum length of a long word. Shorter words such as "de" and "a" may be missing if no name contains all words. A
 * word with a digit must always be found.
 */
const LONG_WORD = 3
const DIGIT = /\d/
/** Minimum number of options with which a list has a search field. */
const MANY = 12

const plain = (text: string) => text.normalize('NFD').replace(MARKS, '').toLowerCase()
const wordsOf = (text: string) => plain(text).split(/\s+/).filter(Boolean)

/**
 * Returns the items whose text contains all words of `wanted`, in any order. Case and accents are ignored. If no item
 * contains all words, short words may be missing.
 */
export function found<T>(items: readonly T[], wanted: string, textOf: (item: T) => string): T[] {
  const words = wordsOf(wanted)
  const withAll = (needed: readonly string[]) =>
    items.filter((item) => {
      const text = plain(textOf(item))
      return needed.every((word) => text.includes(word))
    })
  const exact = withAll(words)
  const long = words.filter((word) => word.length >= LONG_WORD || DIGIT.test(word))
  return exact.length > 0 || long.length === 0 || long.length === words.length ? exact : withAll(long)
}

type Option = readonly [value: string, text: string]

/**
 * Returns the options that a list shows during a search. `isMissed` is true if the search does not find the chosen
 * `value`.
 */
export function narrowed(options: readonly Option[], search: string, value: string, textOf: (option: Option) => string) {
  const hasField = options.length >= MANY
  if (!hasField || search.trim() === '') return { hasField, isMissed: false, shown: options }
  const shown = found(
    options.filter(([each]) => each !== ''),
    search,
    textOf,
  )
  return { hasField, isMissed: !shown.some(([each]) => each === value), shown }
}
