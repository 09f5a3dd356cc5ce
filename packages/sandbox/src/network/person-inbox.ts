import { isDeepStrictEqual } from 'node:util'
import type { InboxItem, MessageCopy } from '../control/network-control.ts'
import { isGroup, STATUS } from './jid.ts'

const KEPT = 20_000
/** Maximum number of items that are kept over a restart, with their numbers, so that a reader can continue. */
const KEPT_SAVED = 200
/** Maximum number of message ids whose copies are kept. */
const KEPT_COPIES = 500

export interface SavedInbox {
  next: number
  items: InboxItem[]
}

export interface PersonInbox {
  add(item: Omit<InboxItem, 'seq'>): boolean
  /** Resolves with the items after this number. If there are none, waits at most `waitMs` for one. */
  read(after: number, waitMs: number): Promise<InboxItem[]>
  /**
   * Counts one retry of a device, and returns the new count. The item of the message shows only the count of device 0,
   * which is the phone.
   */
  countRetry(id: string, device: number): number
  retries(id: string): number
  keepCopy(copy: MessageCopy): void
  copies(id: string): MessageCopy[]
  find(id: string): InboxItem | undefined
  save(): SavedInbox
  readonly size: number
}

const nameOf = ({ id, from, chat }: Pick<InboxItem, 'id' | 'from' | 'chat'>) =>
  `${id} ${from} ${isGroup(chat) || chat === STATUS ? chat : ''}`

const isSame = (one: Pick<InboxItem, 'proto' | 'attrs'>, other: Pick<InboxItem, 'proto' | 'attrs'>) =>
  isDeepStrictEqual([one.proto, one.attrs], [other.proto, other.attrs])

export function createPersonInbox(saved: SavedInbox = { next: 1, items: [] }): PersonInbox {
  let { items, next } = saved
  const retries = new Map<string, number>()
  const copies = new Map<string, MessageCopy[]>()
  const waiting = new Set<() => void>()
  const seen = new Map(items.map((item) => [nameOf(item), item]))

  function since(after: number): InboxItem[] {
    const first = items[0]
    return first ? items.slice(Math.max(0, after + 1 - first.seq)) : []
  }

  return {
    add(item) {
      const known = seen.get(nameOf(item))
      if (known) {
        known.repeats = (known.repeats ?? 0) + 1
        if (!isSame(known, item)) known.repeats_differ = true
        return false
      }
      const added = { seq: next++, ...item }
      items.push(added)
      seen.set(nameOf(item), added)
      if (items.length > 2 * KEPT) {
        for (const old of items.slice(0, -KEPT)) seen.delete(nameOf(old))
        items = items.slice(-KEPT)
      }
      for (const wake of waiting) wake()
      return true
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
    countRetry(id, device) {
      const count = (retries.get(`${id} ${device}`) ?? 0) + 1
      retries.set(`${id} ${device}`, count)
      return count
    },
    retries: (id) => retries.get(`${id} 0`) ?? 0,
    keepCopy(copy) {
      copies.set(copy.id, [...(copies.get(copy.id) ?? []), copy])
      for (const oldest of copies.keys()) {
        if (copies.size <= KEPT_COPIES) break
        copies.delete(oldest)
      }
    },
    copies: (id) => copies.get(id) ?? [],
    find: (id) => items.findLast((item) => item.id === id),
    save: () => ({ next, items: items.slice(-KEPT_SAVED) }),
    get size() {
      return items.length
    },
  }
}
