import type { MessageState } from '../../domain/dashboard.ts'
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
  ...Object.fromEntries(Object.entries(STATES).map(([state, [name]]) => [state, name])),
  pending: t('Pending'),
  discarded: t('Discarded'),
  text: t('Text'),
}

export const stateText = (state: string): string => NAMES[state] ?? readable(state)

export const MessageBadge = ({ state }: { state: MessageState }) => <Badge look={STATES[state][1]}>{STATES[state][0]}</Badge>

/** `text` and `send.sendText` become "Text", `send.sendButtonList` becomes "Button list". */
export function kindText(kind: string | null): string {
  if (kind === null) return t('Message')
  const name = kind.replace(/^\w+\.(send)?/, '')
  return readable(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, ''))
}
