/** The list of instances for people: the names of states, the instances in trouble, the orders of the list, and its export. */
import type { InstanceRow } from './dashboard.ts'
import { QUEUE_CAPACITY } from './queue-capacity.ts'

/** The status as people see it. An instance that was never paired, or was paused, has a state of its own, because it is not broken. */
export type ShownState = InstanceRow['status'] | 'not_paired' | 'paused'

/** Fields of a row that determine its state. */
export type StateFacts = Pick<InstanceRow, 'status' | 'status_reason' | 'was_connected'>

const NOT_RUNNING: ReadonlySet<string> = new Set(['created', 'stopped', 'logged_out'])

export function stateOf({ status, status_reason, was_connected }: StateFacts): ShownState {
  if (status_reason === 'paused') return 'paused'
  return NOT_RUNNING.has(status) && !was_connected ? 'not_paired' : status
}

/** States in which somebody must act, the worst first. */
const BAD_STATES: readonly ShownState[] = ['banned', 'logged_out', 'stopped', 'disconnected']

/** Share of the capacity from which a queue is shown as nearly full. */
export const NEARLY_FULL = 0.8

export const isFull = ({ queue }: Pick<InstanceRow, 'queue'>) => (queue ?? 0) >= QUEUE_CAPACITY

/** Returns 0 for an instance without trouble; otherwise a number that is higher for worse trouble. */
export function troubleOf(row: InstanceRow): number {
  const at = BAD_STATES.indexOf(stateOf(row))
  if (at !== -1) return 10 - at
  if (isFull(row)) return 5
  return row.restriction ? 4 : 0
}

const byName = (a: InstanceRow, b: InstanceRow) => a.name.localeCompare(b.name, undefined, { numeric: true, sensitivity: 'base' })
const newestFirst = (a: InstanceRow, b: InstanceRow) => b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id)
const mostFirst = (of: (row: InstanceRow) => number | null) => (a: InstanceRow, b: InstanceRow) => (of(b) ?? -1) - (of(a) ?? -1)

export const ORDERS = ['trouble', 'name', 'newest', 'queue', 'backlog', 'inbound'] as const
export type Order = (typeof ORDERS)[number]

const COMPARE: Readonly<Record<Order, (a: InstanceRow, b: InstanceRow) => number>> = {
  trouble: mostFirst(troubleOf),
  name: byName,
  newest: newestFirst,
  queue: mostFirst(({ queue }) => queue),
  backlog: mostFirst(({ backlog }) => backlog),
  inbound: (a, b) => (b.last_inbound_at ?? '').localeCompare(a.last_inbound_at ?? ''),
}

/** Returns the rows in the given order. Rows that are equal in this order are sorted by age, the newest first. */
export const ordered = (rows: readonly InstanceRow[], order: Order): InstanceRow[] =>
  [...rows].sort((a, b) => COMPARE[order](a, b) || newestFirst(a, b))

/**
 * Quotes a cell of a CSV file. A spreadsheet would run a text that begins like a formula, and names come from other people, so such a text gets an
 * apostrophe. Some spreadsheets split at semicolons or tabs, so that a cell may begin within a text.
 */
function cellOf(value: string | number | null): string {
  const text = String(value ?? '')
  const harmless = typeof value === 'string' ? text.replace(/(^|[,;\t\r\n])(["\s]*)(?=[=+\-@＝＋－＠])/g, "$1$2'") : text
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

const COLUMNS = ['id', 'name', 'status', 'phone', 'profile_name', 'queue', 'backlog', 'last_inbound_at', 'created_at'] as const

/** A spreadsheet takes a file that begins with this mark for UTF-8; without it, accents of names are lost. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Returns the rows as a CSV file with the names of the API in its first line. */
export const csvOf = (rows: readonly InstanceRow[]): string =>
  BYTE_ORDER_MARK + [COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((column) => cellOf(row[column])).join(','))].join('\r\n')
