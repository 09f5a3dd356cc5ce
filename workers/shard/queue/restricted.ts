/**
 * What may leave while the network restricts the account's reach-out: only what goes to people who have written to it. Each try towards somebody new
 * would count against the account.
 */
import type { Waiting } from './item.ts'

/** `until`: moment of the clock that does not step; null: not known. */
export interface QueueRestriction {
  until: number | null
}

export interface Restricted {
  /** The restriction that the item waits for; undefined: it may leave. */
  holding(item: Waiting): QueueRestriction | undefined
  set(restriction: QueueRestriction | null): void
  /** Somebody wrote for the first time. */
  reachChanged(): void
}

export interface RestrictedDeps {
  hasWritten(phone: string): Promise<boolean>
  /** The set of held items may have changed. */
  onChange(): void
  onError(error: unknown): void
}

export function createRestricted({ hasWritten, onChange, onError }: RestrictedDeps): Restricted {
  let restriction: QueueRestriction | null = null
  /** Whether a destination has written to the account: false while it is being looked up, and when the look-up fails. */
  let written = new Map<string, boolean>()

  function lookUp(phone: string) {
    const current = written
    current.set(phone, false)
    hasWritten(phone).then((answer) => {
      if (current !== written || !answer) return
      current.set(phone, true)
      onChange()
    }, onError)
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
      if (restriction) onChange()
    },
  }
}
