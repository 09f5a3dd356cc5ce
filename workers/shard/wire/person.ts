/** A person in the form of the API, and the look-up of number and LID. */

export interface Person {
  /** Identifier in the API: the number if it is known, or else `<digits>@lid`. */
  phone: string
  /** LID as `<digits>@lid`; null if it is unknown. */
  lid: string | null
}

export interface Identity {
  /** Resolves a person. `alt` is the other jid (number or LID) in the stanza itself, which saves the look-up. */
  person(jid: string, alt?: string | null): Promise<Person>
  /** Returns the LID jid of a number jid if the pair is known locally. Makes no query. */
  lidOf(pnJid: string): Promise<string | null>
  /** Returns the number jid of a LID jid if the pair is known locally. Makes no query. */
  pnOf(lidJid: string): Promise<string | null>
  isMe(jid: string): boolean
  /** Returns the jids of the account, number first; empty before it is paired. */
  own(): string[]
}
