/**
 * A browser sends at its login how often it has logged in since it was linked, `lc`, and how often since it was opened, `connectAttemptCount`. The
 * library (Utils/validate-connection.js, generateLoginNode) has no option for either: they are added where it makes the protobuf object of the login.
 */
import { jidDecode, proto } from '@whiskeysockets/baileys'

export interface LoginCounts {
  /** Accepted logins since the pairing, before this one. */
  logins: number
  /** Those of them that this process has made. */
  connects: number
}

/** By number and device. */
const counts = new Map<string, LoginCounts>()

const nameOf = (user: unknown, device: unknown) => `${user} ${device ?? 0}`

/** Counts for the next login of this device: `logins` as stored. */
export function countLogins(jid: string, logins: number): void {
  const { user, device } = jidDecode(jid) ?? {}
  const name = nameOf(user, device)
  counts.set(name, { logins, connects: counts.get(name)?.connects ?? 0 })
}

/** The network has accepted one. */
export function loginSucceeded(jid: string): void {
  const { user, device } = jidDecode(jid) ?? {}
  const known = counts.get(nameOf(user, device))
  if (known) counts.set(nameOf(user, device), { logins: known.logins + 1, connects: known.connects + 1 })
}

/** Once in a thread. */
export function sayLoginCounts(): void {
  const { ClientPayload } = proto
  const fromObject = ClientPayload.fromObject
  ClientPayload.fromObject = (payload) => {
    const { username, device, devicePairingData } = payload
    const known = username && !devicePairingData ? counts.get(nameOf(username, device)) : undefined
    return fromObject(known ? { ...payload, lc: known.logins, connectAttemptCount: known.connects } : payload)
  }
}
