import type { MessageState } from '../../domain/dashboard.ts'
import { KIND_WORDS } from '../texts/kind-words.ts'
import { t } from '../texts/t.ts'
import { Badge } from './badge.tsx'
import { readable } from './words.tsx'

const STATES: Record<MessageState, readonly [text: string, look: 'good' | 'bad' | 'warn' | '']> = {
  waiting: [t('Waits'), 'warn'],
  processing: [t('Being sent'), ''],
  sent: [t('Sent'), 'good'],
  delivered: [t('Delivered'), 'good'],
  read: [t('Read'), 'good'],
  played: [t('Played'), 'good'],
  failed: [t('Failed'), 'bad'],
  received: [t('Received'), ''],
}

const NAMES: Readonly<Record<string, string>> = {
  ...KIND_WORDS,
  ...Object.fromEntries(Object.entries(STATES).map(([state, [name]]) => [state, name])),
  pending: t('Pending'),
  discarded: t('Discarded'),
}

export const stateText = (state: string): string => NAMES[state] ?? readable(state)

export const MessageBadge = ({ state }: { state: MessageState }) => <Badge look={STATES[state][1]}>{STATES[state][0]}</Badge>

/**
 * Returns the words for a kind of message. `kind` is the type of a received message, or the operation that sent the
 * message.
 */
export function kindText(kind: string | null): string {
  if (kind === null) return t('Message')
  const name = kind.slice(kind.indexOf('.') + 1)
  return KIND_WORDS[name] ?? readable(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
}
