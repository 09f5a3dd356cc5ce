/** A linked device on its way into the service, wherever it comes from: plain data, with its values as the service stores them. */

/** Type, id and value of a Signal key, or of another record that the library keeps among them. */
export type DeviceKey = readonly [type: string, id: string, value: Uint8Array]

export interface DeviceBundle {
  /** The credentials, as the service stores them. */
  creds: Uint8Array
  /** Public identity key in base64: two devices with the same one are the same device. */
  identity: string
  keys: readonly DeviceKey[]
}
