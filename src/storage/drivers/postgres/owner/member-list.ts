import { type Deferred, deferred } from '../../../../lib/deferred.ts'
import { type Member, type Members, stayingOf } from '../../../members.ts'
import { momentNow } from '../../../shared-lease.ts'
import { LONGEST_GAP } from './node-watch.ts'

export interface MemberList extends Members {
  /** Stores the members that a look has found alive, and calls the listeners. */
  note(others: readonly Member[]): void
  /** Calls the listeners again. */
  tell(): void
  isLeaving(): boolean
  /**
   * If somebody waits for the decision whether this member leaves, calls `decide` with the ids of the members that
   * stay. Never rejects.
   */
  settleLeave(decide: (staying: readonly string[]) => Promise<boolean>): Promise<void>
}

export function createMemberList(now = () => momentNow().monotonic): MemberList {
  let others: readonly Member[] = []
  const listeners: (() => void)[] = []
  let isLeaving = false
  const waiting = new Set<Deferred<boolean>>()
  let lookedAt = Number.NEGATIVE_INFINITY
  function tell() {
    for (const listener of listeners) listener()
  }
  const list: MemberList = {
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
    leaveIfOthersStay(signal) {
      const decided = deferred<boolean>()
      waiting.add(decided)
      signal.addEventListener('abort', () => {
        if (waiting.delete(decided)) decided.reject(signal.reason)
      })
      return decided.promise
    },
    isLeaving: () => isLeaving,
    async settleLeave(decide) {
      const asking = [...waiting]
      waiting.clear()
      if (asking.length === 0) return
      try {
        const mayLeave = await decide(stayingOf(list).map(({ id }) => id))
        // A stop that came in the meantime also makes this member leave.
        isLeaving ||= mayLeave
        for (const each of asking) each.resolve(isLeaving)
      } catch (error) {
        for (const each of asking) each.reject(error)
      }
    },
  }
  return list
}
