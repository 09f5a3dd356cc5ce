/**
 * Decides which items may be sent while the network restricts the account's reach-out: only those to people who have written to it. Each attempt to
 * reach a new person would count against the account.
 */
import type { Waiting } from '../item.ts'

/** Restriction of the queue. `until`: a time of the steady clock; null if unknown. */
export interface QueueRestriction {
  until: number | null
}

export interface Restricted {
  /** Returns the restriction that holds the item; undefined if it may be sent. */
  holding(item: Waiting): QueueRestriction | undefined
  set(restriction: QueueRestriction | null): void
  /** A person wrote for the first time. */
  reachChanged(): void
  /** The listener is called when the set of held items may have changed. */
  onChange(listener: () => void): void
}

export interface RestrictedDeps {
  hasWritten(phone: string): Promise<boolean>
  onError(error: unknown): void
}

export function createRestricted({ hasWritten, onError }: RestrictedDeps): Restricted {
  let restriction: QueueRestriction | null = null
  const listeners: (() => void)[] = []
  /** Whether a destination has written to the account; false during the look-up and when it fails. */
  let written = new Map<string, boolean>()

  function lookUp(phone: string) {
    const current = written
    current.set(phone, false)
    hasWritten(phone).then((answer) => {
      if (current !== written || !answer) return
      current.set(phone, true)
      changed()
    }, onError)
  }

  function changed() {
    for (const listener of listeners) listener()
  }

  function isReached({ phone }: Waiting): boolean {
    if (!written.has(phone)) lookUp(phone)
    return written.get(phone)!
  }

  return {
    holding: (item) => (restriction && !isReached(item) ? restriction : undefined),
    set(next) {
      restriction = next
      written = new Map()
    },
    reachChanged() {
      written = new Map()
      if (restriction) changed()
    },
    onChange: (listener) => void listeners.push(listener),
  }
}
