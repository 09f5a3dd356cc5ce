/** Memory for the pieces of all bodies. */
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
