/** Decides whether a message to a chat may be sent now, or until when and why it waits. */
import { DAY, HOUR } from '../../../../src/domain/clock.ts'
import type { SafetyReason, SendSafetySettings, WarmUpStep } from '../../../../src/domain/send-safety.ts'

export interface Recipient {
  /**
   * Whether the recipient is another person. False for groups, channels, the status and the account itself, which are
   * never new people.
   */
  isPerson: boolean
  isMe: boolean
  isKnown: boolean
  /** Time of the newest message by somebody else in the chat, in epoch ms; null if unknown. */
  heardAt: number | null
  unanswered: number
}

export interface SafetyState {
  /** Times of first messages to new people on the monotonic clock, ascending; at least those of the last 24 hours. */
  contacts: readonly number[]
  /** Time in epoch ms at which the device was linked. Null if unknown: the last step of the warm-up then applies. */
  linkedAt: number | null
}

export interface Moment {
  at: number
  steady: number
}

export interface Wait {
  reason: SafetyReason
  until: number | null
}

/** Returns the end of the quiet hours in epoch ms; null outside of them. */
export type QuietUntil = (at: number) => number | null

/**
 * Time in ms after a message of somebody else in which a message to the same chat counts as an answer. Quiet hours do
 * not hold answers.
 */
export const ANSWER_WINDOW = DAY

const NEVER = Number.POSITIVE_INFINITY

/** Returns undefined if the message need not wait. The end of the wait is on the monotonic clock. */
export function paceWait(
  settings: SendSafetySettings,
  { isPerson, isKnown, unanswered }: Recipient,
  freeAt: () => number | undefined,
): Wait | undefined {
  const most = settings.pause_after_unanswered
  if (!isPerson) return undefined
  if (most !== null && unanswered >= most) return { reason: 'unanswered', until: null }
  if (isKnown) return undefined
  const until = freeAt()
  return until === undefined ? undefined : { reason: 'first_contact_budget', until: until === NEVER ? null : until }
}

/** Returns the wait until the end of the quiet hours in epoch ms. Returns undefined if the message need not wait. */
export function quietWait({ isMe, heardAt }: Recipient, at: number, quiet: QuietUntil): Wait | undefined {
  if (isMe || (heardAt !== null && at - heardAt < ANSWER_WINDOW)) return undefined
  const until = quiet(at)
  return until === null ? undefined : { reason: 'quiet_hours', until }
}

/** A budget of first messages to new people: how many are allowed in a time window, and how many were sent. */
export interface Budget {
  ms: number
  most: number
  used: number
  /**
   * Time of the monotonic clock at which the next new person may be written to: undefined if now, `Infinity` if never.
   */
  freeAt: number | undefined
}

/**
 * Returns the time of the monotonic clock at which all budgets allow a message to a new person: undefined if now,
 * `Infinity` if never.
 */
export function budgetsFreeAt(settings: SendSafetySettings, state: SafetyState, now: Moment): number | undefined {
  const ends = budgetsOf(settings, state, now).flatMap(({ freeAt }) => freeAt ?? [])
  return ends.length === 0 ? undefined : Math.max(...ends)
}

export function budgetsOf(settings: SendSafetySettings, { contacts, linkedAt }: SafetyState, now: Moment): Budget[] {
  const warmUp = warmUpOf(settings.first_contacts_warm_up, linkedAt, now)
  const limits = [
    { ms: HOUR, most: settings.first_contacts_per_hour ?? NEVER, raisedAt: NEVER },
    { ms: DAY, most: Math.min(settings.first_contacts_per_day ?? NEVER, warmUp.most), raisedAt: warmUp.raisedAt },
  ]
  return limits
    .filter(({ most }) => most < NEVER)
    .map(({ ms, most, raisedAt }) => {
      const used = contacts.filter((contact) => contact > now.steady - ms)
      if (used.length < most) return { ms, most, used: used.length, freeAt: undefined }
      // A new person may be written to again when the oldest of the last `most` messages has left the time window.
      const oldest = most === 0 ? NEVER : used[used.length - most]!
      return { ms, most, used: used.length, freeAt: Math.min(oldest + ms, raisedAt) }
    })
}

function warmUpOf(steps: readonly WarmUpStep[] | null, linkedAt: number | null, { at, steady }: Moment) {
  if (steps === null) return { most: NEVER, raisedAt: NEVER }
  const age = linkedAt === null ? NEVER : Math.max(0, at - linkedAt)
  const current = Math.max(
    0,
    steps.findLastIndex(({ day }) => day * DAY <= age),
  )
  const mostOf = ({ per_day }: WarmUpStep) => per_day ?? NEVER
  const most = mostOf(steps[current]!)
  const raise = steps.slice(current + 1).find((step) => mostOf(step) > most)
  return { most, raisedAt: raise ? steady + (raise.day * DAY - age) : NEVER }
}
