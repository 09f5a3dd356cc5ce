/** Events of a connection, as the state table (`lifecycle/`) names them. */
import type { Restriction } from '../../../src/domain/instance.ts'

export type ConnectionEvent =
  | { type: 'socketOpened' }
  | { type: 'qrShown' }
  /** The phone accepted the code; credentials are saved. */
  | { type: 'paired'; phone: string | null; platform: string | null }
  | { type: 'opened'; phone: string | null; profileName: string | null; platform: string | null }
  /** The person changed the name, or the phone sent it for the first time. */
  | { type: 'nameChanged'; profileName: string }
  | { type: 'restrictionChanged'; restriction: Restriction | null }
  /** `code`: `lastDisconnect.error.output.statusCode`, null when there is none. `expireSeconds`: of a 402. */
  | { type: 'closed'; code: number | null; message: string; expireSeconds: number | null }
  /** The proxy refused, no handshake within 20 s, HTTP error in place of the upgrade, or the store could not be read. */
  | { type: 'startFailed'; cause: 'proxy' | 'handshake' | 'store' }
  /** The network asks for a passkey, which no linked device of ours can give. */
  | { type: 'passkeyRequested' }
