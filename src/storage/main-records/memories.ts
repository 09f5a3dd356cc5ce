/** Passes each record to the memory of its family. */
import { FAMILIES, type FollowedFamily } from './families.ts'
import type { Memory } from './main-records.ts'

export interface Memories {
  add(family: FollowedFamily, memory: Memory): void
  /** Passes a record to its memory. Has no effect if the family of the record is not loaded. */
  pass(key: string, value: Uint8Array | null, isOwn: boolean): void
}

export function createMemories(): Memories {
  const memories: { prefix: string; memory: Memory }[] = []

  return {
    add: (family, memory) => void memories.push({ prefix: FAMILIES[family].prefix, memory }),
    pass(key, value, isOwn) {
      for (const { prefix, memory } of memories) {
        if (!key.startsWith(prefix)) continue
        if (value === null) memory.remove(key, isOwn)
        else memory.put(key, value, isOwn)
      }
    },
  }
}
