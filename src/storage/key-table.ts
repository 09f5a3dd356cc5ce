/**
 * The keys of a store, independent of where the store keeps them. Each key has two places, whose content is encrypted with a secret key
 * (`sealed-keys.ts`).
 */

/** The two places of a key. */
export type Places = readonly [Uint8Array | undefined, Uint8Array | undefined]

/** Every method may be called again after an interruption. */
export interface KeyTable {
  /** Location of all keys, for messages to the operator. */
  where: string
  /** Returns the location of a key, for messages to the operator. */
  whereIs(name: string): string
  names(): Promise<string[]>
  get(name: string): Promise<Places | undefined>
  /** Returns all keys. One call reads all keys, because a request per key to a store on another machine would be slow. */
  all(): Promise<Map<string, Places>>
  /** Adds a key, which is durable when the promise resolves. Does nothing if the key exists. */
  add(name: string, places: Places): Promise<void>
  /** Fills a place of an existing key, or empties it. */
  set(name: string, place: 0 | 1, value: Uint8Array | undefined): Promise<void>
  /** Destroys a key as completely as its store allows. Only a file can be overwritten in place; a row in a database leaves copies. */
  remove(name: string): Promise<void>
  /** Removes incomplete files that a killed process left. */
  removeDrafts(): Promise<void>
}
