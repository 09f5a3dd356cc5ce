/** Stanzas that waited for a linked device, and that are being sent now. */
export interface Backlog {
  readonly keys: readonly string[]
  next: number
  sent: number
  allowed: number
  /** Keys of stanzas that were queued after the login, and are sent after the backlog. */
  readonly later: Set<string>
  done(): void
}
