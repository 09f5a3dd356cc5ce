/** The keys of a store, wherever it keeps them: each has two places, which a secret key seals (`sealed-keys.ts`). */

/** The two places of a key. */
export type Places = readonly [Uint8Array | undefined, Uint8Array | undefined]

/** Each step may be repeated. */
export interface KeyTable {
  /** Location of all keys, for sentences. */
  where: string
  /** Returns the location of a key, for sentences. */
  whereIs(name: string): string
  names(): Promise<string[]>
  get(name: string): Promise<Places | undefined>
  /** Returns all keys. A store on another machine is asked once, and not once for each key. */
  all(): Promise<Map<string, Places>>
  /** Adds a key, which is durable when the promise resolves. Does nothing if the key exists. */
  add(name: string, places: Places): Promise<void>
  /** Fills a place of an existing key, or empties it. */
  set(name: string, place: 0 | 1, value: Uint8Array | undefined): Promise<void>
  /** Destroys a key, as far as its store can: only a file can be overwritten in place. */
  remove(name: string): Promise<void>
  /** Removes what a kill left incomplete. */
  removeDrafts(): Promise<void>
}
