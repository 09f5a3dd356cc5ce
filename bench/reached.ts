/** Compares the results of the benches with their targets, for the tables of a run and of the README. */
import { isSpread, medianOf, valueAt } from './parts/numbers.ts'
import { type Row, TARGETS, type Target } from './targets.ts'

export interface Shown {
  bench: string
  /** The figure and its variant, as in `Target`. */
  figure: string
  variant: string
  /** The limit in signs, such as `≥ 800`. */
  toReach: string
  /** The value, or the reason why there is none. */
  median: string
  /** The least and the most of the rounds, such as `[206–327]`, or empty if the value has no rounds. */
  range: string
  /** Remarks on the value: another number beside it, and why this machine cannot measure it. */
  remarks: readonly string[]
  isReached: boolean | undefined
}

function shown(target: Target, result: Record<string, unknown>): Shown {
  const { bench, figure, variant = '', least, most } = target
  const toReach = least === undefined ? `≤ ${most}` : `≥ ${least.toLocaleString('en')}`
  const row = { bench, figure, variant, toReach, range: '', remarks: [], isReached: undefined }
  if ('failed' in result) return { ...row, median: 'the bench failed' }
  const value = target.of ? target.of(result) : valueAt(target.at, result)
  const number = medianOf(value)
  if (typeof number !== 'number') return { ...row, median: 'not measured' }
  const isReached = least === undefined ? number <= most! : number >= least
  const why = !isReached && target.unless?.(result)
  const other = target.beside && valueAt(target.beside.at, result)
  return {
    ...row,
    median: String(number),
    range: isSpread(value) ? `[${value.spread.join('–')}]` : '',
    remarks: [...(typeof other === 'number' ? [`${target.beside!.words} ${other}`] : []), ...(why ? [why] : [])],
    isReached: why ? undefined : isReached,
  }
}

export const reachedBy = (rows: readonly Row[]): Shown[] =>
  rows.flatMap(({ bench, result }) => TARGETS.filter((target) => target.bench === bench).map((target) => shown(target, result)))

export const answerOf = ({ isReached }: Pick<Shown, 'isReached'>) => (isReached === undefined ? '?' : isReached ? 'yes' : 'no')

/** Joins the words of several variants or cells. Those of several words need spaces around the sign. */
const side = (words: readonly string[]) => words.join(words.some((each) => each.includes(' ')) ? ' / ' : '/')

/** Joins the cells of several values. If all of them are the same, the cell has the text once. */
export const joined = (cells: readonly string[]) => (new Set(cells).size === 1 ? cells[0]! : side(cells))

/** Returns the figure in words, with these variants in the place of `{}`. */
export const inWords = (figure: string, variants: readonly string[]) => figure.replace('{}', side(variants))

/** Returns a value in words, with its range and the remarks on it. */
export const measuredOf = ({ median, range, remarks }: Shown) =>
  [median, range, remarks.length > 0 ? `(${remarks.join(', ')})` : ''].filter(Boolean).join(' ')
