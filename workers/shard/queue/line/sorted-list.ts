export interface SortedList<V> {
  readonly values: readonly V[]
  insert(value: V): void
  remove(value: V): void
}

export function createSortedList<V>(isBefore: (one: V, other: V) => boolean): SortedList<V> {
  const values: V[] = []

  function placeOf(value: V): number {
    let low = 0
    let high = values.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBefore(values[middle]!, value)) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    values,
    insert: (value) => void values.splice(placeOf(value), 0, value),
    remove(value) {
      const at = placeOf(value)
      if (at < values.length && !isBefore(value, values[at]!)) values.splice(at, 1)
    },
  }
}
