/** The settings of an account that its devices share. */

/**
 * One collection of an account's settings. The server has versions and ciphertext; the phone's plain state is stored
 * with them.
 */
export interface Collection {
  version: number
  /** Encoded `SyncdPatch`es with their version set; the first is version 1. */
  patches: Buffer[]
  /** LTHash over the current values, and the value MAC of each index: the phone needs them to write its own patches. */
  hash: Buffer
  valueMacs: Map<string, Buffer>
  /** The encoded entries (`SyncdRecord`), by the same index. */
  records?: Map<string, Buffer>
}

export interface AppState {
  keyId: Buffer | undefined
  keyData: Buffer | undefined
  collections: Map<string, Collection>
  /** Actions that the phone read, by their index as JSON text. */
  actions: Map<string, unknown>
  /** Errors in patches of linked devices. */
  problems?: string[]
}
