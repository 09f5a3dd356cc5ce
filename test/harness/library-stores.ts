/**
 * Converts a device of Baileys to the rows and Redis hashes in which other programs store a device. The names of
 * tables, columns and fields are those of these programs.
 */
import { type AuthenticationCreds, BufferJSON, type SignalDataSet } from '@whiskeysockets/baileys'

export interface LibraryDevice {
  creds: AuthenticationCreds
  keys: SignalDataSet
}

const json = (value: unknown) => JSON.stringify(value, BufferJSON.replacer)

const entries = ({ keys }: LibraryDevice) =>
  Object.entries(keys).flatMap(([type, values]) =>
    Object.entries(values ?? {}).map(([id, value]) => ({ type, id, text: json(value) })),
  )

const fileName = (id: string) => id.replaceAll('/', '__').replaceAll(':', '-')

/** Returns the Redis hash in which Evolution API stores a device: `<prefix>:instance:<id>`. */
export const evolutionHash = (device: LibraryDevice): Record<string, string> =>
  Object.fromEntries(entries(device).map(({ type, id, text }) => [`${type}-${id}`, text]))

/**
 * Returns the row of Evolution API's table `Session`. The JSON text of the credentials is encoded as JSON a second
 * time.
 */
export const evolutionRow = ({ creds }: LibraryDevice, sessionId: string) => ({
  id: 'c1',
  sessionId,
  creds: JSON.stringify(json(creds)),
  createdAt: '2026-01-01T00:00:00',
})

/**
 * Returns the Redis hash in which fazer-ai/baileys-api stores a device: `@baileys-api:connections:<number>:authState`.
 */
export const fazerHash = (device: LibraryDevice): Record<string, string> => ({
  creds: json(device.creds),
  metadata: '{"webhookUrl":"https://hooks.example/","webhookVerifyToken":"a token"}',
  ...evolutionHash(device),
})

/** Returns the rows of OpenWA's table `baileys_auth_state`. Their ids look like the library's file names. */
export const openwaRows = (device: LibraryDevice, sessionName: string) =>
  [{ type: 'creds', id: 'creds', text: json(device.creds) }, ...entries(device)].map(({ type, id, text }) => ({
    sessionName,
    keyType: type,
    keyId: fileName(id),
    value: text,
    updatedAt: '2026-01-01 00:00:00',
  }))

/**
 * Returns the rows of WAHA's table `waha_auth`. The field `value` contains JSON text, because that column has the type
 * `jsonb`.
 */
export const wahaRows = (device: LibraryDevice, session_id: string) => [
  { session_id, key: 'creds', value: json(device.creds) },
  ...entries(device).map(({ type, id, text }) => ({ session_id, key: `${type}-${id}`, value: text })),
]
