/**
 * Sentences about problems of the service, in English, with places for values. The API fills in the values; the
 * dashboard translates the sentence first.
 */

interface Words {
  /** The problem. Two forms if the sentence counts something: for one, and for more than one. */
  what: string | readonly [one: string, more: string]
  todo: string
}

const CHANGE_PLAN = 'Change the plan under Keys and access.'

export const HEALTH_WORDS = {
  store: {
    what: 'The store cannot be read.',
    todo: 'Check the disk and the log; do not start a second service on the same folder.',
  },
  disk: {
    what: 'The disk is nearly full: new messages are refused.',
    todo: 'Free space on the disk; the service then resumes by itself.',
  },
  thread_down: {
    what: ['{n} thread does not answer: {names}.', '{n} threads do not answer: {names}.'],
    todo: 'The service restarts it within 30 seconds. If the problem returns, the log shows why the thread ended.',
  },
  thread_busy: {
    what: ['{n} thread works without a pause: {names}.', '{n} threads work without a pause: {names}.'],
    todo: 'Raise SVC_SHARDS if the machine has unused cores, or move instances to another machine.',
  },
  clock: {
    what: 'The clock of the machine is ahead, or ids and times of events are.',
    todo: 'Synchronise the clock of the machine (NTP). Ids and times that are ahead stay so until real time reaches them.',
  },
  bucket: {
    what: 'A bucket for media cannot be used.',
    todo: 'The log has the answer of its server. Check the server, the URL and the credentials; the service then continues by itself.',
  },
  converter: {
    what: 'No converter for audio and video is installed.',
    todo: 'Install ffmpeg, or name it in SVC_FFMPEG, and start the service again.',
  },
  plan_refuses: { what: 'The plan is {status}: nothing can be sent.', todo: CHANGE_PLAN },
  plan_no_account_api: { what: 'The plan does not allow the Account API.', todo: CHANGE_PLAN },
  plan_ends: { what: 'The plan ends within a week.', todo: CHANGE_PLAN },
  slots: {
    what: 'All instance slots are used.',
    todo: 'Delete an instance, or raise the number of slots under Keys and access.',
  },
  deliveries: {
    what: 'Most attempts to deliver webhooks failed in the last ten minutes.',
    todo: 'The webhook log shows what the receivers answered.',
  },
  receivers: {
    what: [
      'The receiver of {n} instance has not taken events for more than a minute.',
      'The receivers of {n} instances have not taken events for more than a minute.',
    ],
    todo: 'The webhook log shows what the receivers answered.',
  },
  banned: {
    what: ['{n} instance is rejected by the network.', '{n} instances are rejected by the network.'],
    todo: 'Open the app on the phone; it shows why the account is banned and how to request a review.',
  },
  logged_out: {
    what: ['{n} instance is logged out.', '{n} instances are logged out.'],
    todo: 'Scan a new QR code with the phone; the queued messages are sent afterwards.',
  },
  disconnected: {
    what: ['{n} instance is disconnected and reconnecting.', '{n} instances are disconnected and reconnecting.'],
    todo: 'Wait a few minutes. If the problem stays, check the network of this machine and the proxy of the instance.',
  },
  stopped: {
    what: ['{n} instance is stopped.', '{n} instances are stopped.'],
    todo: 'The page of the instance shows the reason; restart the instance or request a QR code.',
  },
  restricted: {
    what: [
      '{n} instance is restricted by the network: messages to people who have not written since it was paired stay in the queue.',
      '{n} instances are restricted by the network: messages to people who have not written since they were paired stay in the queue.',
    ],
    todo: 'Wait until the restriction ends. To avoid the next one, send fewer messages to people who do not answer.',
  },
  queue_full: {
    what: [
      '{n} queue is full ({total} messages wait): further messages are refused.',
      '{n} queues are full ({total} messages wait in each): further messages are refused.',
    ],
    todo: 'The page of the queue shows what it waits for. Connect the instance, or clear its queue.',
  },
  events_lost: {
    what: ['{n} instance is losing its oldest webhook events.', '{n} instances are losing their oldest webhook events.'],
    todo: 'The receiver does not accept them. Repair it, or raise SVC_OUTBOX_MAX.',
  },
  events_behind: {
    what: ['{n} instance is behind with its webhooks.', '{n} instances are behind with their webhooks.'],
    todo: 'Check the webhook log: the receiver is slow, or its answers are errors.',
  },
} as const satisfies Readonly<Record<string, Words>>

export type HealthCode = keyof typeof HEALTH_WORDS
export type HealthValues = Readonly<Record<string, string | number>>

/** Returns the sentences for a code, in the form that fits the number `n`. */
export function healthSentences(code: HealthCode, { n }: HealthValues): { what: string; todo: string } {
  const { what, todo }: Words = HEALTH_WORDS[code]
  return { what: typeof what === 'string' ? what : what[n === 1 ? 0 : 1], todo }
}
