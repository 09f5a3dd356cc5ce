/**
 * A value of an instance that one part writes and others read, such as its current session. It is created before all of them, so that a part can be
 * given the `get` of a value whose writer is constructed later.
 */
export interface Slot<T> {
  get(): T
  /** Called by the owner of the value alone. */
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
