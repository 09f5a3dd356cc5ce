export interface Slot<T> {
  get(): T
  set(value: T): void
}

export function createSlot<T>(initial: T): Slot<T> {
  let current = initial
  return {
    get: () => current,
    set(value) {
      current = value
    },
  }
}
