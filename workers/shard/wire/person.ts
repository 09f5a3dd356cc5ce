export interface Person {
  readonly phone: string
  readonly lid: string | null
}

export interface Identity {
  person(jid: string, alt?: string | null): Promise<Person>
  lidOf(pnJid: string): Promise<string | null>
  pnOf(lidJid: string): Promise<string | null>
  isMe(jid: string): boolean
  /** Returns the account's jids. The number comes first. Empty before an account is linked. */
  own(): string[]
}
