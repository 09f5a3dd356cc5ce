/**
 * One first-come-first-served line per address, held over load, crypto and durable write. Of an instance, not of a socket: handlers of
 * a socket that has ended still run, and they must not work on the same session beside the next socket's.
 */
export interface AddressLocks {
  /**
   * Runs `work` alone among everyone who names one of these addresses. All places in line are taken in one step, so two callers with
   * overlapping addresses cannot wait for each other.
   */
  run<T>(addresses: string | readonly string[], work: () => Promise<T>): Promise<T>
  /** When everything that is in line now has finished. */
  idle(): Promise<void>
}

export function createAddressLocks(): AddressLocks {
  /** The last in line per address; settles when its work has finished, and never rejects. */
  const last = new Map<string, Promise<void>>()

  return {
    async run(addresses, work) {
      const names = typeof addresses === 'string' ? [addresses] : [...new Set(addresses)]
      const before = names.flatMap((name) => last.get(name) ?? [])
      let leave = () => {}
      const mine = new Promise<void>((resolve) => {
        leave = resolve
      })
      for (const name of names) last.set(name, mine)
      try {
        if (before.length > 0) await Promise.all(before)
        return await work()
      } finally {
        for (const name of names) if (last.get(name) === mine) last.delete(name)
        leave()
      }
    },
    async idle() {
      await Promise.all(last.values())
    },
  }
}
