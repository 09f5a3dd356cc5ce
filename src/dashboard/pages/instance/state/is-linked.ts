import type { InstanceRow } from '../../../../domain/dashboard.ts'

/** States of a linked instance that connects by itself, or when somebody resumes it. */
const GOES_ON: ReadonlySet<string> = new Set(['connected', 'disconnected', 'starting', 'connecting'])

/** Whether a new pairing would be of no use, because the account is linked and the link is not broken. */
export const isLinked = ({ status, status_reason, phone, was_connected }: InstanceRow): boolean =>
  status === 'connected' || (was_connected && phone !== null && (GOES_ON.has(status) || status_reason === 'paused'))
