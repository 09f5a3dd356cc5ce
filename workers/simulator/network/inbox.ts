import type { InboxItem } from '../control/network-control.ts'

/** Items kept per person; older ones are forgotten, their numbers are not used again. */
const KEPT = 20_000

export interface Inbox {
  add(item: Omit<InboxItem, 'seq'>): void
  /** Items after a number; waits for one when there is none. */
  read(after: number, waitMs: number): Promise<InboxItem[]>
  /** How often a message id was asked for again: shown with the item when it arrives. */
  countRetry(id: string): number
  retries(id: string): number
  find(id: string): InboxItem | undefined
  readonly size: number
}

export function createInbox(): Inbox {
  let items: InboxItem[] = []
  let next = 1
  const retries = new Map<string, number>()
  const waiting = new Set<() => void>()

  function since(after: number): InboxItem[] {
    const first = items[0]
    return first ? items.slice(Math.max(0, after + 1 - first.seq)) : []
  }

  return {
    add(item) {
      items.push({ seq: next++, ...item })
      if (items.length > 2 * KEPT) items = items.slice(-KEPT)
      for (const wake of waiting) wake()
    },
    async read(after, waitMs) {
      const found = since(after)
      if (found.length > 0 || waitMs <= 0) return found
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, waitMs)
        function done() {
          clearTimeout(timer)
          waiting.delete(done)
          resolve()
        }
        waiting.add(done)
      })
      return since(after)
    },
    countRetry(id) {
      const count = (retries.get(id) ?? 0) + 1
      retries.set(id, count)
      return count
    },
    retries: (id) => retries.get(id) ?? 0,
    find: (id) => items.findLast((item) => item.id === id),
    get size() {
      return items.length
    },
  }
}
