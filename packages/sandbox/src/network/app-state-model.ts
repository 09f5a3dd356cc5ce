/** The app state of an account: the settings that its devices share. */

/**
 * A collection of app state: its versions and ciphertext, which the server has, and its plain state, which the phone
 * has.
 */
export interface Collection {
  version: number
  /** Encoded `SyncdPatch`es that contain their version. The first patch has version 1. */
  patches: Buffer[]
  /** The LTHash over the current values, and the value MAC of each index. The phone needs both to write patches. */
  hash: Buffer
  valueMacs: Map<string, Buffer>
  /** The encoded entries (`SyncdRecord`), by the same index as `valueMacs`. */
  records?: Map<string, Buffer>
}

export interface AppState {
  keyId: Buffer | undefined
  keyData: Buffer | undefined
  collections: Map<string, Collection>
  /** Actions that the phone has read, by their index as JSON text. */
  actions: Map<string, unknown>
  problems?: string[]
}
