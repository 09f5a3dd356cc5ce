/** Reads the time at which the device was linked. The phone writes it into the identity of the device that it links. */
import { type AuthenticationCreds, proto, toNumber } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'

/** Returns the time of the link in epoch ms; null if it is unknown. */
export function linkedAt(creds: Pick<AuthenticationCreds, 'account'> | undefined): number | null {
  const { details } = creds?.account ?? {}
  if (!details) return null
  try {
    const seconds = toNumber(proto.ADVDeviceIdentity.decode(details).timestamp)
    return seconds > 0 ? seconds * SECOND : null
  } catch {
    // Imported credentials come from another program, so this identity may be unreadable. The time is only used as a hint about the age of the
    // number, so the error is ignored.
    return null
  }
}
