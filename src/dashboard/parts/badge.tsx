/** A state as a word and a colour. The word alone is enough to understand it. */
import type { LogStatus } from '../../domain/webhook-log.ts'

type Look = 'good' | 'bad' | 'warn' | ''

const STATUSES: Record<string, readonly [text: string, look: Look]> = {
  created: ['Created', ''],
  starting: ['Starting', ''],
  qr: ['Waiting for pairing', 'warn'],
  connecting: ['Connecting', ''],
  connected: ['Connected', 'good'],
  disconnected: ['Reconnecting', 'warn'],
  logged_out: ['Logged out', 'bad'],
  banned: ['Banned', 'bad'],
  stopped: ['Stopped', 'bad'],
}

const OUTCOMES: Record<LogStatus, readonly [text: string, look: Look]> = {
  pending: ['Pending', 'warn'],
  delivered: ['Delivered', 'good'],
  failed: ['Failed', 'bad'],
  discarded: ['Discarded', ''],
}

export const Badge = ({ look = '', children }: { look?: Look; children: string }) => (
  <span class={`badge ${look}`}>{children}</span>
)

export const statusText = (status: string) => STATUSES[status]?.[0] ?? status
export const STATUS_NAMES = Object.keys(STATUSES)

export function StatusBadge({ status }: { status: string }) {
  const [text, look] = STATUSES[status] ?? [status, '']
  return <Badge look={look}>{text}</Badge>
}

export function OutcomeBadge({ status }: { status: LogStatus }) {
  const [text, look] = OUTCOMES[status]
  return <Badge look={look}>{text}</Badge>
}
