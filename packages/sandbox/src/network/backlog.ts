/** Stanzas that waited for a linked device and are now being sent. */
export interface Backlog {
  readonly keys: readonly string[]
  next: number
  sent: number
  allowed: number
  /** Keys of stanzas that were queued after the login. They are sent after the backlog. */
  readonly later: Set<string>
  done(): void
}
