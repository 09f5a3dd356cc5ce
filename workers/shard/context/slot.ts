/**
 * A value of an instance that one part writes and others read, such as its current session. It is created before the parts, so that a part can get
 * the `get` function of a value even if the part that writes the value is constructed later.
 */
export interface Slot<T> {
  get(): T
  /** Sets the value. Only the owner of the value calls this. */
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
