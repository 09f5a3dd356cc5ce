/** Reads the time at which the device was linked, from the identity that the phone writes. */
import { type AuthenticationCreds, proto, toNumber } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'

/** Returns the time in epoch ms, or null if it is unknown. */
export function linkedAt(creds: Pick<AuthenticationCreds, 'account'> | undefined): number | null {
  const { details } = creds?.account ?? {}
  if (!details) return null
  try {
    const seconds = toNumber(proto.ADVDeviceIdentity.decode(details).timestamp)
    return seconds > 0 ? seconds * SECOND : null
  } catch {
    // The identity may be unreadable after an import. The time is only a hint about the age of the number, so the error
    // is ignored.
    return null
  }
}
