import type { InstanceRow } from '../../../../domain/dashboard.ts'

/** Without a connection, WhatsApp does not learn that the device is removed, and the phone may still list it. */
const AWAY: ReadonlySet<string> = new Set(['starting', 'connecting', 'disconnected', 'stopped'])

/** Whether the phone still lists the device after the instance is logged out or deleted. */
export const staysOnPhone = ({ was_connected, status }: InstanceRow): boolean => was_connected && AWAY.has(status)
