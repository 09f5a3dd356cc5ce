export const round = (value: number, digits = 2) => Number(value.toFixed(digits))

export const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const spread = (values: readonly number[], digits = 2) => ({
  median: round(median(values), digits),
  spread: [round(Math.min(...values), digits), round(Math.max(...values), digits)] as [number, number],
})
export type Spread = ReturnType<typeof spread>

export const isSpread = (value: unknown): value is Spread => typeof value === 'object' && value !== null && 'median' in value

/** Returns the median of a spread, and any other value as it is. */
export const medianOf = (value: unknown) => (isSpread(value) ? value.median : value)

/** Returns the value at this path in the result of a bench, or undefined if the result does not have it. */
export const valueAt = (at: readonly string[], result: unknown): unknown =>
  at.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], result)

const quantile = (sorted: readonly number[], share: number) =>
  round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN, 1)

/** Returns the number, the median, the 99th percentile and the maximum of times in ms. */
export function summary(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b)
  return { count: sorted.length, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: quantile(sorted, 1) }
}
export type Summary = ReturnType<typeof summary>
