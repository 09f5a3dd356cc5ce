import type { TimelineStep } from './dashboard.ts'

/**
 * State of the delivery of one message's events. `refused`: the receiver refused an event, which will be tried again.
 */
export type ReceiverState = 'none' | 'wait' | 'refused' | 'good' | 'bad'

export function receiverState(steps: readonly TimelineStep[]): ReceiverState {
  const events = steps.filter((step) => step.kind === 'event')
  if (events.length === 0) return 'none'
  if (events.some(({ status }) => status === 'failed')) return 'bad'
  const pending = new Set(events.filter(({ status }) => status === 'pending').map(({ event_id }) => event_id))
  if (pending.size === 0) return 'good'
  const isRefused = steps.some((step) => step.kind === 'webhook' && step.error !== null && pending.has(step.event_id))
  return isRefused ? 'refused' : 'wait'
}
