import type { Member, Members } from '../../../members.ts'
import { momentNow } from '../../../shared-lease.ts'
import { LONGEST_GAP } from './node-watch.ts'

export interface MemberList extends Members {
  /** Stores the members that a look has found alive, and calls the listeners. */
  note(others: readonly Member[]): void
  /** Calls the listeners again. */
  tell(): void
  isLeaving(): boolean
}

export function createMemberList(now = () => momentNow().monotonic): MemberList {
  let others: readonly Member[] = []
  const listeners: (() => void)[] = []
  let isLeaving = false
  let lookedAt = Number.NEGATIVE_INFINITY
  function tell() {
    for (const listener of listeners) listener()
  }
  return {
    others: () => others,
    onLook: (listener) => void listeners.push(listener),
    reachesStore: () => now() - lookedAt <= LONGEST_GAP,
    note(found) {
      others = found
      lookedAt = now()
      tell()
    },
    tell,
    leave() {
      isLeaving = true
    },
    isLeaving: () => isLeaving,
  }
}
