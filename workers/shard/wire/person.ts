/** A person as the API identifies it, and the look-up of number and LID. */

export interface Person {
  /** Identifier in the API: the number if it is known, otherwise `<digits>@lid`. */
  phone: string
  /** LID as `<digits>@lid`; null if it is unknown. */
  lid: string | null
}

export interface Identity {
  /** Resolves a person. `alt`: the person's other jid (number or LID), if the stanza contains it; no look-up is needed then. */
  person(jid: string, alt?: string | null): Promise<Person>
  /** Returns the LID for the jid of a number if the pair is known here. Makes no query. */
  lidOf(pnJid: string): Promise<string | null>
  /** Returns the jid of the number for a LID if the pair is known here. Makes no query. */
  pnOf(lidJid: string): Promise<string | null>
  isMe(jid: string): boolean
  /** Returns the jids of the account itself, the number first; empty before an account is linked. */
  own(): string[]
}
