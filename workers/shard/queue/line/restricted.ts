/**
 * Holds items to people who never wrote to the account, while the network restricts it. Each attempt to reach a new
 * person would count against the account.
 */
import type { Clock } from '../../../../src/domain/clock.ts'
import type { Waiting } from '../item.ts'
import type { ChangeListener, HoldPolicy } from './holds.ts'

/** Restriction of the account by the network. `until` is a time of the monotonic clock, or null if unknown. */
export interface QueueRestriction {
  until: number | null
}

export interface Restricted extends HoldPolicy {
  set(restriction: QueueRestriction | null): void
  reachChanged(): void
}

export interface RestrictedDeps {
  steady: Clock
  hasWritten(phone: string): Promise<boolean>
  onError(error: unknown): void
}

export function createRestricted({ steady, hasWritten, onError }: RestrictedDeps): Restricted {
  let restriction: QueueRestriction | null = null
  const listeners: ChangeListener[] = []
  /**
   * For each destination, whether it has written to the account. False during the look-up, and if the look-up
   * failed.
   */
  let written = new Map<string, boolean>()

  function lookUp(phone: string) {
    const current = written
    current.set(phone, false)
    hasWritten(phone).then((answer) => {
      if (current !== written || !answer) return
      current.set(phone, true)
      changed((item) => item.phone === phone)
    }, onError)
  }

  const changed: ChangeListener = (concerns) => {
    for (const listener of listeners) listener(concerns)
  }

  function isReached({ phone }: Waiting): boolean {
    if (!written.has(phone)) lookUp(phone)
    return written.get(phone)!
  }

  return {
    clock: steady,
    holding: (item) => (restriction && !isReached(item) ? { reason: 'restricted', until: restriction.until } : undefined),
    set(next) {
      restriction = next
      written = new Map()
      changed()
    },
    reachChanged() {
      written = new Map()
      if (restriction) changed()
    },
    onChange: (listener) => void listeners.push(listener),
  }
}
