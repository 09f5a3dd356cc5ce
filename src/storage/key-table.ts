/** The keys of a store, wherever the store keeps them. Each key has two places, encrypted with a secret key. */

/** Two encrypted copies of a key; undefined for a missing one. */
export type Places = readonly [Uint8Array | undefined, Uint8Array | undefined]

/** Every method may be called again after an interruption. */
export interface KeyTable {
  where: string
  whereIs(name: string): string
  names(): Promise<string[]>
  get(name: string): Promise<Places | undefined>
  all(): Promise<Map<string, Places>>
  /** Durable when the promise resolves. Does nothing if the key exists. */
  add(name: string, places: Places): Promise<void>
  /** Writes one of the two encrypted copies of an existing key; undefined removes it. */
  set(name: string, place: 0 | 1, value: Uint8Array | undefined): Promise<void>
  /** Only a file can be overwritten in place; a row in a database leaves copies. */
  remove(name: string): Promise<void>
  removeDrafts(): Promise<void>
}
