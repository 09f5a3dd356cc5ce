/**
 * What happens, as it happens: one stream of server-sent events. The rows of all instances are kept, and nothing else: an hour of busy events
 * leaves what a minute leaves. Changes are shown together a few times per second, however many there were.
 */
import { signal } from '@preact/signals'
import type { InstanceRow, LiveEventName, LiveEvents } from '../../domain/dashboard.ts'
import { session, signedOut } from './session.ts'
import { loadSession } from './sign-in.ts'

/** Between two renewals of the page, ms. */
const SHOW_EVERY = 250
/** After the stream was closed for good, ms. */
const AGAIN_AFTER = 3_000

export const rows = signal<ReadonlyMap<string, InstanceRow>>(new Map())
/** All rows were sent at least once. */
export const isComplete = signal(false)
export const connection = signal<'live' | 'waiting'>('waiting')
export const totals = signal<LiveEvents['totals'] | null>(null)
/** The last second of deliveries of anything; a page that shows them asks again when it changes. */
export const delivered = signal<LiveEvents['deliveries'] | null>(null)

const next = new Map<string, InstanceRow>()
let hasChanged = false
let source: EventSource | undefined
let again: ReturnType<typeof setTimeout> | undefined

function show() {
  if (!hasChanged) return
  hasChanged = false
  rows.value = new Map(next)
}

function change(alter: () => void) {
  alter()
  if (hasChanged) return
  hasChanged = true
  setTimeout(show, SHOW_EVERY)
}

const HANDLERS: { [Name in LiveEventName]: (data: LiveEvents[Name]) => void } = {
  reset: () => change(() => next.clear()),
  ready: () => {
    hasChanged = true
    show()
    isComplete.value = true
  },
  instance: (row) => change(() => next.set(row.id, row)),
  removed: ({ id }) => change(() => next.delete(id)),
  totals: (data) => {
    totals.value = data
  },
  deliveries: (data) => {
    delivered.value = data
  },
  ended: ({ reason }) => {
    source?.close()
    if (reason === 'signed_out') signedOut()
    else retry()
  },
}

function retry() {
  connection.value = 'waiting'
  clearTimeout(again)
  again = setTimeout(() => {
    // It may be that nobody is signed in any more, which a stream cannot say.
    loadSession().then(
      () => session.value && open(),
      () => retry(),
    )
  }, AGAIN_AFTER)
}

export function open() {
  source?.close()
  const stream = new EventSource('api/live')
  source = stream
  stream.onopen = () => {
    connection.value = 'live'
  }
  stream.onerror = () => {
    connection.value = 'waiting'
    if (stream.readyState === EventSource.CLOSED && stream === source) retry()
  }
  for (const [type, handle] of Object.entries(HANDLERS))
    stream.addEventListener(type, ({ data }) => stream === source && handle(JSON.parse(data) as never))
}

export function close() {
  clearTimeout(again)
  source?.close()
  source = undefined
  next.clear()
  rows.value = new Map()
  isComplete.value = false
  connection.value = 'waiting'
  totals.value = null
  delivered.value = null
}
