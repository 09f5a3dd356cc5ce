/** Counts the bytes of the kept pieces of all bodies, which have a limit together. */
export interface Room {
  isFull(): boolean
  add(bytes: number): void
}

export function createRoom(mostBytes: number): Room {
  let used = 0
  return {
    isFull: () => used >= mostBytes,
    add(bytes) {
      used += bytes
    },
  }
}
