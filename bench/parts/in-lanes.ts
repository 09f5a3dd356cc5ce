/** Calls `work` for each value, for at most `lanes` of them at a time. Returns the results in the order of the values. */
export async function inLanes<T, R>(
  values: readonly T[],
  lanes: number,
  work: (value: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  async function lane() {
    while (next < values.length) {
      const index = next++
      results[index] = await work(values[index]!, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, values.length) }, lane))
  return results
}
