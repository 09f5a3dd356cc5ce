/** Describes an event in words, for example "Read" for a receipt. An event of an earlier release has no state. */
import type { EventType } from '../../../domain/events.ts'
import { statusText } from '../../parts/badge.tsx'
import { stateText } from '../../parts/message-state.tsx'
import { EVENT_WORDS } from '../../texts/field-words.ts'

export function eventName(type: EventType, state: string | null): string {
  if (state === null) return EVENT_WORDS[type]
  return type === 'instance_status' ? statusText(state) : stateText(state)
}
