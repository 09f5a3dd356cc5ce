export interface AddressLocks {
  /**
   * Runs `work` while it holds the locks of all these addresses. The locks are requested in one step, so that callers
   * cannot deadlock.
   */
  run<T>(addresses: string | readonly string[], work: () => Promise<T>): Promise<T>
  acquire(addresses: string | readonly string[]): Promise<() => void>
  idle(): Promise<void>
}

export function createAddressLocks(): AddressLocks {
  /** The last task of each address. Each promise settles when this task has finished, and never rejects. */
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
