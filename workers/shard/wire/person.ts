/** A person as the API writes it, and the lookup of its names: number and LID. */

export interface Person {
  /** As the API writes it: digits when known, else `<digits>@lid`. */
  phone: string
  /** `<digits>@lid` or null. */
  lid: string | null
}

export interface Identity {
  /** `alt` is the other name the stanza itself carried; it spares the lookup. */
  person(jid: string, alt?: string | null): Promise<Person>
  /** The LID jid of a number jid when the pair is known locally. No query. */
  lidOf(pnJid: string): Promise<string | null>
  /** The number jid of a LID jid when the pair is known locally. No query. */
  pnOf(lidJid: string): Promise<string | null>
  isMe(jid: string): boolean
  /** The jids of the account, number first; empty before it is paired. */
  own(): string[]
}
