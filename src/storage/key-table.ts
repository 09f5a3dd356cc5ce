/**
 * The table of a store's keys, in files or in a database. Each key has two places, for copies that are encrypted with a
 * secret key.
 */

/** Two encrypted copies of a key; undefined for a missing one. */
export type Places = readonly [Uint8Array | undefined, Uint8Array | undefined]

/** The stored keys, by name. Every method may be called again after an interruption. */
export interface KeyTable {
  where: string
  whereIs(name: string): string
  names(): Promise<string[]>
  get(name: string): Promise<Places | undefined>
  all(): Promise<Map<string, Places>>
  /** Adds a key, which is durable when the promise resolves. Does nothing if the key exists. */
  add(name: string, places: Places): Promise<void>
  /** Writes one of the two encrypted copies of an existing key; undefined removes it. */
  set(name: string, place: 0 | 1, value: Uint8Array | undefined): Promise<void>
  /** Removes a key. A file is overwritten first; a row in a database leaves copies. */
  remove(name: string): Promise<void>
  /**
   * Removes what interrupted changes have left. Drafts of new keys that are younger than `youngestMs` stay, because
   * another process may still be writing them.
   */
  removeDrafts(youngestMs: number): Promise<void>
}
