/** Words for a field of a form. A field without an entry is shown with its name and its description in the API. */
import { EVENT_TYPES, type EventType } from '../../domain/events.ts'
import { t } from './t.ts'

export interface FieldWords {
  label: string
  hint?: string
  /** True if the check box is ticked while the field is false, because the label says the opposite. */
  isTurned?: true
  /** Divisor of the shown value: 1,000 if a field in milliseconds is shown in seconds. */
  scale?: number
  options?: Readonly<Record<string, string>>
}

const NO_LIMIT = t('Leave it empty for no limit.')

export const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  received: t('What arrives: messages, calls, changes of groups'),
  delivery: t('Whether a message was sent or has failed'),
  message_status: t('Receipts: delivered, read, played'),
  instance_status: t('Changes of the connection'),
  chat_presence: t('Who is online or typing'),
}

const SETTINGS: Readonly<Record<string, FieldWords>> = {
  auto_read_message: { label: t('Mark messages as read'), hint: t('The sender sees the blue ticks at once.') },
  auto_read_status: { label: t('Mark status posts as viewed') },
  call_reject_auto: { label: t('Reject calls') },
  call_reject_message: { label: t('Answer to a rejected call'), hint: t('Leave it empty to send nothing.') },
  disable_enqueue_when_disconnected: {
    label: t('Refuse messages while offline'),
    hint: t('Otherwise they wait in the queue until the instance is connected.'),
  },
  queue_max_age_hours: { label: t('Hours after which a waiting message fails') },
  delay_message_min_ms: { label: t('Shortest wait between messages, in seconds'), scale: 1_000 },
  delay_message_max_ms: {
    label: t('Longest wait between messages, in seconds'),
    hint: t('Each wait is random between the two.'),
    scale: 1_000,
  },
  proxy_url: {
    label: t('Address of the proxy'),
    hint: t('With http, https or socks5. Empty: no proxy. A change restarts the session.'),
  },
  dialect: {
    label: t('Programs were written for'),
    hint: t('Only if they were written for another gateway. Requests and events then have its names.'),
    options: { zapi: 'Z-API' },
  },
  first_contacts_per_hour: { label: t('New people in 60 minutes, at most'), hint: NO_LIMIT },
  first_contacts_per_day: { label: t('New people in 24 hours, at most'), hint: NO_LIMIT },
  pause_after_unanswered: {
    label: t('Messages without an answer, at most'),
    hint: t('Further messages to the person wait until they write. Leave it empty for no limit.'),
  },
}

/**
 * Words for the fields of each event type. The field of its webhook URL and the field of its switch have the same
 * words.
 */
const KINDS: Readonly<Record<string, FieldWords>> = Object.fromEntries(
  EVENT_TYPES.flatMap((type) => [
    [`${type}_url`, { label: EVENT_WORDS[type] }],
    [`ignore_${type}_callback`, { label: EVENT_WORDS[type], isTurned: true }],
  ]),
)

const WEBHOOKS: Readonly<Record<string, FieldWords>> = {
  notify_sent_by_me: { label: t('Messages that the account itself sends') },
  ignore_private: { label: t('From people'), isTurned: true },
  ignore_groups: { label: t('From groups'), isTurned: true },
  ignore_text: { label: t('Texts'), isTurned: true },
  ignore_image: { label: t('Pictures'), isTurned: true },
  ignore_video: { label: t('Videos'), isTurned: true },
  ignore_audio: { label: t('Voice and audio'), isTurned: true },
  ignore_document: { label: t('Documents'), isTurned: true },
}

const PLAN: Readonly<Record<string, FieldWords>> = {
  instance_slots: { label: t('Instance limit') },
  status: {
    label: t('Status of the plan'),
    hint: t('Only “active” and “partner” allow everything.'),
    options: {
      trial: t('Trial'),
      active: t('Active'),
      past_due: t('Past due'),
      canceled: t('Canceled'),
      expired: t('Expired'),
      partner: t('Partner'),
    },
  },
  due_at: { label: t('Ends at') },
  trial_ends_at: { label: t('The trial ends at') },
  name: { label: t('Name'), hint: t('Only you see it.') },
}

export const FIELD_WORDS: Readonly<Record<string, FieldWords>> = { ...SETTINGS, ...KINDS, ...WEBHOOKS, ...PLAN }
