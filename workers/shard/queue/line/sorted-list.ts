/** A list that is sorted by a comparison, in which no two values are equal. Positions are found with a binary search. */
export interface SortedList<V> {
  readonly values: readonly V[]
  insert(value: V): void
  /** Removes the value; nothing changes if it is not in the list. */
  remove(value: V): void
}

export function createSortedList<V>(isBefore: (one: V, other: V) => boolean): SortedList<V> {
  const values: V[] = []

  /** Returns the index of the first value in the list that is equal to this value or comes after it. */
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
