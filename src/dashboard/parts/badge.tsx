/** Shows a state as a word and a colour. The word alone is enough to understand it. */
import type { InstanceRow } from '../../domain/dashboard.ts'
import { type ShownState, type StateFacts, stateOf } from '../../domain/instance-list.ts'
import { type LogStatus, MAX_TRIES } from '../../domain/webhook-log.ts'
import { ofService, t } from '../texts/t.ts'
import { withLocalTimes } from './time.tsx'

type Look = 'good' | 'bad' | 'warn' | ''

const STATUSES: Record<string, readonly [text: string, look: Look]> = {
  created: [t('Created'), ''],
  starting: [t('Starting'), ''],
  qr: [t('Waiting for pairing'), ''],
  connecting: [t('Connecting'), ''],
  connected: [t('Connected'), 'good'],
  disconnected: [t('Reconnecting'), 'warn'],
  logged_out: [t('Logged out'), 'bad'],
  banned: [t('Banned'), 'bad'],
  stopped: [t('Stopped'), 'bad'],
}

const OUTCOMES: Record<LogStatus, readonly [text: string, look: Look]> = {
  pending: [t('Pending'), 'warn'],
  delivered: [t('Delivered'), 'good'],
  failed: [t('Failed'), 'bad'],
  discarded: [t('Discarded'), ''],
}

export const Badge = ({ look = '', children }: { look?: Look; children: string }) => (
  <span class={`badge ${look}`}>{children}</span>
)

export const statusText = (status: string) => STATUSES[status]?.[0] ?? status

const SHOWN: Readonly<Record<string, readonly [text: string, look: Look]>> = {
  ...STATUSES,
  not_paired: [t('Not paired'), ''],
  paused: [t('Paused'), ''],
}

export const SHOWN_STATES = Object.keys(SHOWN) as ShownState[]

export const stateText = (state: ShownState) => SHOWN[state]![0]
export const stateLook = (state: ShownState) => SHOWN[state]![1]

export function StateBadge({ row }: { row: StateFacts & Pick<InstanceRow, 'restriction' | 'status_text'> }) {
  const [text, look] = SHOWN[stateOf(row)]!
  return (
    <span title={withLocalTimes(ofService(row.status_text ?? ''))}>
      <Badge look={look}>{text}</Badge> {row.restriction ? <Badge look="warn">{t('Restricted')}</Badge> : null}
    </span>
  )
}

/** Text of an outcome. Pending events are both those that were never tried and those that are retried. */
export const outcomeText = (status: LogStatus) => (status === 'pending' ? t('Pending or retrying') : OUTCOMES[status][0])

interface OutcomeProps {
  status: LogStatus
  /** Number of attempts. An event that was refused must not be shown like one that was never tried. */
  attempts?: number
}

export function OutcomeBadge({ status, attempts = 0 }: OutcomeProps) {
  if (status === 'pending' && attempts > 0)
    return <Badge look="bad">{t('Retrying ({n} of {total})', { n: Math.min(attempts, MAX_TRIES), total: MAX_TRIES })}</Badge>
  const [text, look] = OUTCOMES[status]
  return <Badge look={look}>{text}</Badge>
}
