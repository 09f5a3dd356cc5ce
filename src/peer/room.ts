/**
 * Counts the bytes of request bodies that are kept in memory while they are passed on (`kept-body.ts`). All requests
 * share one limit.
 */
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
