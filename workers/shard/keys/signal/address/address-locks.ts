/**
 * One FIFO mutex per address, which is held while a session is loaded, used and durably written. The mutexes belong to the instance and not to the
 * socket: handlers of an ended socket may still run, and must not use a session at the same time as those of the next socket.
 */
export interface AddressLocks {
  /**
   * Runs `work` exclusively among all callers that name one of these addresses. All mutexes are requested in one step, so two callers with
   * overlapping addresses cannot deadlock.
   */
  run<T>(addresses: string | readonly string[], work: () => Promise<T>): Promise<T>
  /**
   * Acquires the locks like `run`, for work that is not a single function. Resolves when it is the caller's turn, with a function that ends the turn.
   */
  acquire(addresses: string | readonly string[]): Promise<() => void>
  /** Resolves when everything queued now has finished. */
  idle(): Promise<void>
}

export function createAddressLocks(): AddressLocks {
  /** The last task per address. Its promise settles when the task has finished, and never rejects. */
  const last = new Map<string, Promise<void>>()

  async function acquire(addresses: string | readonly string[]): Promise<() => void> {
    const names = typeof addresses === 'string' ? [addresses] : [...new Set(addresses)]
    const before = names.flatMap((name) => last.get(name) ?? [])
    let leave = () => {}
    const mine = new Promise<void>((resolve) => {
      leave = resolve
    })
    for (const name of names) last.set(name, mine)
    if (before.length > 0) await Promise.all(before)
    return () => {
      for (const name of names) if (last.get(name) === mine) last.delete(name)
      leave()
    }
  }

  return {
    acquire,
    async run(addresses, work) {
      const end = await acquire(addresses)
      try {
        return await work()
      } finally {
        end()
      }
    },
    async idle() {
      await Promise.all(last.values())
    },
  }
}
