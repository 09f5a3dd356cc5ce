/** The stanzas that waited for a linked device and are now being sent to it. */
export interface Backlog {
  /** Keys of the stanzas, in order. */
  readonly keys: readonly string[]
  /** Number of keys that have been processed. */
  next: number
  sent: number
  /** Number of stanzas that may be sent now. */
  allowed: number
  /** Keys of stanzas that were queued, or queued again, after the login. They are sent after the backlog. */
  readonly later: Set<string>
  /** Called when all stanzas of the backlog have been sent. */
  done(): void
}
