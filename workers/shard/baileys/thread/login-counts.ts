/**
 * A browser sends two counters at its login: its logins since it was linked (`lc`), and since it was opened (`connectAttemptCount`). The library
 * (Utils/validate-connection.js, generateLoginNode) has no option for them, so they are added when it creates the protobuf object of the login.
 */
import { jidDecode, proto } from '@whiskeysockets/baileys'

export interface LoginCounts {
  /** Number of accepted logins between the pairing and this login. */
  logins: number
  /** Number of those logins that this process made. */
  connects: number
}

/** Counters of logins, by number and device. */
const counts = new Map<string, LoginCounts>()

const nameOf = (user: unknown, device: unknown) => `${user} ${device ?? 0}`

/** Sets the counters for the next login of this device. `logins` is the stored number. */
export function countLogins(jid: string, logins: number): void {
  const { user, device } = jidDecode(jid) ?? {}
  const name = nameOf(user, device)
  counts.set(name, { logins, connects: counts.get(name)?.connects ?? 0 })
}

/** Called when the network has accepted a login. */
export function loginSucceeded(jid: string): void {
  const { user, device } = jidDecode(jid) ?? {}
  const known = counts.get(nameOf(user, device))
  if (known) counts.set(nameOf(user, device), { logins: known.logins + 1, connects: known.connects + 1 })
}

/** Adds the counters to logins. Must be called once per thread. */
export function sayLoginCounts(): void {
  const { ClientPayload } = proto
  const fromObject = ClientPayload.fromObject
  ClientPayload.fromObject = (payload) => {
    const { username, device, devicePairingData } = payload
    const known = username && !devicePairingData ? counts.get(nameOf(username, device)) : undefined
    return fromObject(known ? { ...payload, lc: known.logins, connectAttemptCount: known.connects } : payload)
  }
}
