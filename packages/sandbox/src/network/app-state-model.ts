/** The app state of an account: the settings that its devices share. */

/**
 * One collection of an account's settings. It contains the versions and the ciphertext that the server has, and the
 * plain state that the phone has.
 */
export interface Collection {
  version: number
  /** Encoded `SyncdPatch`es that contain their version. The first patch has version 1. */
  patches: Buffer[]
  /**
   * The LTHash over the current values, and the value MAC of each index. The phone needs both to write its own patches.
   */
  hash: Buffer
  valueMacs: Map<string, Buffer>
  /** The encoded entries (`SyncdRecord`), by the same index as `valueMacs`. */
  records?: Map<string, Buffer>
}

export interface AppState {
  keyId: Buffer | undefined
  keyData: Buffer | undefined
  collections: Map<string, Collection>
  /** Actions that the phone has read from the collection. The keys are their indexes as JSON text. */
  actions: Map<string, unknown>
  /** Errors that the phone found in patches of linked devices. */
  problems?: string[]
}
