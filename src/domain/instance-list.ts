import type { InstanceRow } from './dashboard.ts'
import { QUEUE_CAPACITY } from './queue-capacity.ts'

/**
 * Status of an instance as people see it. An instance that was never paired or was paused is not broken, so it has a
 * state of its own.
 */
export type ShownState = InstanceRow['status'] | 'not_paired' | 'paused'

export type StateFacts = Pick<InstanceRow, 'status' | 'status_reason' | 'was_connected'>

type ConnectionFacts = Pick<InstanceRow, 'status' | 'connected_at' | 'disconnected_at'>

const NOT_RUNNING: ReadonlySet<string> = new Set(['created', 'stopped', 'logged_out'])

export function stateOf({ status, status_reason, was_connected }: StateFacts): ShownState {
  if (status_reason === 'paused') return 'paused'
  return NOT_RUNNING.has(status) && !was_connected ? 'not_paired' : status
}

/** True if no device is linked, so that nothing can be logged out. False for the statuses `qr` and `banned`. */
export const hasNoAccount = (facts: StateFacts): boolean =>
  facts.status === 'created' || facts.status === 'logged_out' || stateOf(facts) === 'not_paired'

/**
 * Statuses after a logout. The time of the last login is then removed, while the time at which the connection ended is
 * kept.
 */
const AFTER_LOGOUT: ReadonlySet<string> = new Set(['logged_out', 'qr', 'banned'])

/**
 * Returns since when an instance is connected, or until when it was. If the service was killed, only the time of the
 * last login is known.
 */
export function connectionOf({ status, connected_at, disconnected_at }: ConnectionFacts) {
  if (status === 'connected') return { is: 'connected', at: connected_at } as const
  if (disconnected_at && connected_at !== null) return { is: 'until', at: disconnected_at } as const
  if (disconnected_at && AFTER_LOGOUT.has(status)) return { is: 'ended', at: disconnected_at } as const
  return { is: 'login', at: connected_at } as const
}

/** States in which somebody must act, the most serious first. */
const BAD_STATES: readonly ShownState[] = ['banned', 'logged_out', 'stopped', 'disconnected']

/** Share of its capacity above which a queue is shown as nearly full. */
export const NEARLY_FULL = 0.8

export const isFull = ({ queue }: Pick<InstanceRow, 'queue'>) => (queue ?? 0) >= QUEUE_CAPACITY

/** True if the receiver refuses events. An instance without a webhook has no receiver. */
export const isRefused = ({ refused_since, webhooks }: InstanceRow): boolean => refused_since !== null && webhooks > 0

export function troubleOf(row: InstanceRow): number {
  const at = BAD_STATES.indexOf(stateOf(row))
  if (at !== -1) return 10 - at
  if (isFull(row)) return 5
  if (row.restriction) return 4
  return isRefused(row) ? 3 : 0
}

/** Order of instances that are not in use. Unpaired ones come last, because hundreds of them may wait for a phone. */
const IDLE: Readonly<Partial<Record<ShownState, number>>> = { paused: 1, not_paired: 2 }
const idleOf = (row: InstanceRow): number => IDLE[stateOf(row)] ?? 0

const byName = (a: InstanceRow, b: InstanceRow) => a.name.localeCompare(b.name, undefined, { numeric: true, sensitivity: 'base' })
const newestFirst = (a: InstanceRow, b: InstanceRow) => b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id)
const mostFirst = (of: (row: InstanceRow) => number | null) => (a: InstanceRow, b: InstanceRow) => (of(b) ?? -1) - (of(a) ?? -1)

export const ORDERS = ['trouble', 'name', 'newest', 'queue', 'backlog', 'inbound'] as const
export type Order = (typeof ORDERS)[number]

const COMPARE: Readonly<Record<Order, (a: InstanceRow, b: InstanceRow) => number>> = {
  trouble: (a, b) => troubleOf(b) - troubleOf(a) || idleOf(a) - idleOf(b),
  name: byName,
  newest: newestFirst,
  queue: mostFirst(({ queue }) => queue),
  backlog: mostFirst(({ backlog }) => backlog),
  inbound: (a, b) => (b.last_inbound_at ?? '').localeCompare(a.last_inbound_at ?? ''),
}

/** Sorts rows. Rows that are equal in this order are sorted by age, the newest first. */
export const ordered = (rows: readonly InstanceRow[], order: Order): InstanceRow[] =>
  [...rows].sort((a, b) => COMPARE[order](a, b) || newestFirst(a, b))

/**
 * Quotes a cell of a CSV file. Other people choose names, and a spreadsheet would run a text that begins like a
 * formula, so such a text gets an apostrophe. Some spreadsheets also split cells at semicolons or tabs.
 */
function cellOf(value: string | number | null): string {
  const text = String(value ?? '')
  const harmless = typeof value === 'string' ? text.replace(/(^|[,;\t\r\n])(["\s]*)(?=[=+\-@＝＋－＠])/g, "$1$2'") : text
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

const COLUMNS = [
  'id',
  'name',
  'status',
  'phone',
  'last_phone',
  'profile_name',
  'queue',
  'backlog',
  'last_inbound_at',
  'created_at',
] as const

/**
 * Mark at the beginning of a CSV file. Without it, spreadsheets do not read the file as UTF-8, and accents of names are
 * lost.
 */
const BYTE_ORDER_MARK = '\uFEFF'

export const csvOf = (rows: readonly InstanceRow[]): string =>
  BYTE_ORDER_MARK + [COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((column) => cellOf(row[column])).join(','))].join('\r\n')
