import type { InstanceRow } from '../../../../domain/dashboard.ts'

/**
 * Statuses in which there is no connection, so that the network cannot be told that the device is removed. The phone then may still list the device.
 */
const AWAY: ReadonlySet<string> = new Set(['starting', 'connecting', 'disconnected', 'stopped'])

/** Whether the phone still lists the device after the instance is logged out or deleted. */
export const staysOnPhone = ({ was_connected, status }: InstanceRow): boolean => was_connected && AWAY.has(status)
