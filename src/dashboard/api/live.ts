/**
 * The live stream of server-sent events. Only the current state is kept and no history, so the memory does not grow
 * with time.
 */
import { signal } from '@preact/signals'
import type { EventSourceMessage } from 'eventsource-parser'
import type { InstanceRow, LiveEventName, LiveEvents } from '../../domain/dashboard.ts'
import { readProof } from './proof.ts'
import { session, signedOut } from './session.ts'
import { loadSession } from './sign-in.ts'
import { readStream } from './stream.ts'

/** Interval in ms at which changes are rendered. */
const SHOW_EVERY = 250
/** Milliseconds until the next attempt after the service refused or ended the stream. */
const AGAIN_AFTER = 3_000
const RECONNECT_AFTER = 3_000

export const rows = signal<ReadonlyMap<string, InstanceRow>>(new Map())
export const isComplete = signal(false)
export const connection = signal<'live' | 'waiting'>('waiting')
export const awaySince = signal<number | null>(null)
export const totals = signal<LiveEvents['totals'] | null>(null)
export const delivered = signal<LiveEvents['deliveries'] | null>(null)

const next = new Map<string, InstanceRow>()
let hasChanged = false
let reading: { leave: AbortController; proof: string | null } | undefined
/**
 * Id of the last received event; empty if none was received. It is sent when the stream is opened again, so that the
 * stream continues after this event.
 */
let lastEventId = ''
let reconnectAfter = RECONNECT_AFTER
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
    reading?.leave.abort()
    if (reason === 'signed_out') signedOut(reading?.proof)
    else retry()
  },
}

function wait(ms: number, next: () => void) {
  if (connection.value === 'live') awaySince.value = Date.now()
  connection.value = 'waiting'
  clearTimeout(again)
  again = setTimeout(next, ms)
}

function retry() {
  // Another tab may have signed out and in again, so the session is read before the next attempt.
  wait(AGAIN_AFTER, () => {
    loadSession().then(
      () => session.value && open(),
      () => retry(),
    )
  })
}

function take({ event, data, id }: EventSourceMessage) {
  lastEventId = id ?? lastEventId
  const handle = HANDLERS[event as LiveEventName] as ((data: unknown) => void) | undefined
  try {
    handle?.(JSON.parse(data))
  } catch (error) {
    // An error of the page itself does not end the stream.
    reportError(error)
  }
}

export function open() {
  clearTimeout(again)
  reading?.leave.abort()
  const leave = new AbortController()
  const { signal } = leave
  reading = { leave, proof: readProof() }
  const asked = readStream('api/live', {
    signal,
    lastEventId,
    onOpen: () => {
      connection.value = 'live'
      awaySince.value = null
    },
    onEvent: (event) => signal.aborted || take(event),
    onRetry: (ms) => {
      reconnectAfter = ms
    },
  })
  void asked.then((end) => {
    if (signal.aborted) return
    if (end === 'cut') wait(reconnectAfter, open)
    else retry()
  })
}

export function close() {
  clearTimeout(again)
  reading?.leave.abort()
  reading = undefined
  lastEventId = ''
  next.clear()
  rows.value = new Map()
  isComplete.value = false
  connection.value = 'waiting'
  awaySince.value = null
  totals.value = null
  delivered.value = null
}
