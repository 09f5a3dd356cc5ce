import type { InstanceRow } from '../../../../domain/dashboard.ts'

/** States of a linked instance that is connected, or connects without another pairing. */
const GOES_ON: ReadonlySet<string> = new Set(['connected', 'disconnected', 'starting', 'connecting'])

/** True if a new pairing would be useless, because the account is linked and the link is not broken. */
export const isLinked = ({ status, status_reason, phone, was_connected }: InstanceRow): boolean =>
  status === 'connected' || (was_connected && phone !== null && (GOES_ON.has(status) || status_reason === 'paused'))
