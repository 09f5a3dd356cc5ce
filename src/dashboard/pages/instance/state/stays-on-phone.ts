import type { InstanceRow } from '../../../../domain/dashboard.ts'

/**
 * States without a connection. WhatsApp does not learn then that the device is removed, so the phone may still list it.
 */
const AWAY: ReadonlySet<string> = new Set(['starting', 'connecting', 'disconnected', 'stopped'])

/** True if the phone may still list the device after the instance is logged out or deleted. */
export const staysOnPhone = ({ was_connected, status }: InstanceRow): boolean => was_connected && AWAY.has(status)
