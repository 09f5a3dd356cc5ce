/**
 * Describes an event in words, for example "Read" for a receipt. An event that an earlier release stored has no state.
 */
import type { EventType } from '../../../domain/events.ts'
import type { components } from '../../generated/description.d.ts'
import { statusText } from '../../parts/badge.tsx'
import { stateText } from '../../parts/message-state.tsx'
import { EVENT_WORDS } from '../../texts/field-words.ts'
import { t } from '../../texts/t.ts'

const ACTIVITIES: Readonly<Record<components['schemas']['ChatPresenceEvent']['status'], string>> = {
  available: t('Is online'),
  unavailable: t('Is offline'),
  composing: t('Is typing'),
  recording: t('Is recording a voice message'),
  paused: t('Has stopped typing'),
}

const TEXTS: Readonly<Partial<Record<EventType, (state: string) => string>>> = {
  instance_status: statusText,
  chat_presence: (state) => (ACTIVITIES as Readonly<Record<string, string>>)[state] ?? stateText(state),
}

export function eventName(type: EventType, state: string | null): string {
  if (state === null) return EVENT_WORDS[type]
  return (TEXTS[type] ?? stateText)(state)
}
