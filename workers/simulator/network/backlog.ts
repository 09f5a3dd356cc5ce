/** Stanzas that waited for a linked device and are now being sent. */
export interface Backlog {
  /** Keys of the stanzas, in order. */
  readonly keys: readonly string[]
  /** Number of keys that have been processed. */
  next: number
  sent: number
  /** Number of stanzas that may still be sent now. */
  allowed: number
  /** Keys of stanzas that were queued after the login, or queued again: they are sent after the backlog. */
  readonly later: Set<string>
  /** Called when all stanzas of the backlog were sent. */
  done(): void
}
