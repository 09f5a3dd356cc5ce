/** A Signal key, or another record that Baileys stores among the keys. */
export type DeviceKey = readonly [type: string, id: string, value: Uint8Array]

export interface DeviceBundle {
  creds: Uint8Array
  /** Public identity key in base64. Two devices with the same key are the same device. */
  identity: string
  keys: readonly DeviceKey[]
}

/** Programs from which a device can be imported; `svc` is another server of this service. */
export const IMPORT_SOURCES = ['svc', 'baileys', 'whatsmeow', 'zapo', 'evolution', 'fazer', 'openwa', 'waha'] as const
export type ImportSource = (typeof IMPORT_SOURCES)[number]
