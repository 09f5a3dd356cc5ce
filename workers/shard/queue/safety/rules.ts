/**
 * The rules of send safety: whether a message to a chat may leave now, or until when it waits and why. Pure: settings, what was sent, the recipient and
 * the time are arguments.
 */
import { DAY, HOUR } from '../../../../src/domain/clock.ts'
import type { SafetyReason, SendSafetySettings, WarmUpStep } from '../../../../src/domain/send-safety.ts'

/** Facts about the chat to which a message goes. */
export interface Recipient {
  /** False for groups, channels and the status, which are never first contacts. */
  isPerson: boolean
  /** Whether either side has ever written to the other. */
  isKnown: boolean
  /** Time of the newest message by somebody else in the chat, in epoch ms; null if unknown. */
  heardAt: number | null
  /** Number of messages of the account since then. */
  unanswered: number
}

export interface SafetyState {
  /** Times of first contacts by the steady clock, ascending; at least those of the last 24 hours. */
  contacts: readonly number[]
  /** Time at which the device was linked, in epoch ms; null if unknown, and the number then counts as old. */
  linkedAt: number | null
}

/** The same moment by two clocks: a date, and a clock that does not step when the date is set. */
export interface Moment {
  at: number
  steady: number
}

export interface Wait {
  reason: SafetyReason
  /** Earliest time at which the message may leave; null if that is unknown. */
  until: number | null
}

/** Returns the end of quiet hours in epoch ms, or null outside of them: `quiet-hours.ts`. */
export type QuietUntil = (at: number) => number | null

/** A message to a chat in which somebody else wrote this recently is an answer: it does not wait for the end of quiet hours. */
export const ANSWER_WINDOW = DAY

const NEVER = Number.POSITIVE_INFINITY

/**
 * Whether a message to this chat waits for an answer or for the budget, until a time of the steady clock. The wait for an answer has no known end, so
 * it counts before the other.
 */
export function paceWait(settings: SendSafetySettings, state: SafetyState, recipient: Recipient, now: Moment): Wait | undefined {
  const { isPerson, isKnown, unanswered } = recipient
  const most = settings.pause_after_unanswered
  if (!isPerson) return undefined
  if (most !== null && unanswered >= most) return { reason: 'unanswered', until: null }
  if (isKnown) return undefined
  const ends = budgetsOf(settings, state, now).flatMap(({ freeAt }) => freeAt ?? [])
  if (ends.length === 0) return undefined
  const until = Math.max(...ends)
  return { reason: 'first_contact_budget', until: until === NEVER ? null : until }
}

/** Whether a message to this chat waits for the end of quiet hours, until a time in epoch ms. */
export function quietWait({ heardAt }: Recipient, at: number, quiet: QuietUntil): Wait | undefined {
  if (heardAt !== null && at - heardAt < ANSWER_WINDOW) return undefined
  const until = quiet(at)
  return until === null ? undefined : { reason: 'quiet_hours', until }
}

/** How much of one budget is used. */
export interface Budget {
  /** Length of its window in ms. */
  ms: number
  most: number
  used: number
  /** Time of the steady clock at which the next first contact is allowed, `Infinity` if never; undefined if one is allowed now. */
  freeAt: number | undefined
}

/** Returns the budgets that are set: for an hour, and for a day. */
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
      // The oldest of the last `most` contacts must have left the window.
      const oldest = most === 0 ? NEVER : used[used.length - most]!
      return { ms, most, used: used.length, freeAt: Math.min(oldest + ms, raisedAt) }
    })
}

/** Returns the budget of the step that applies, and the time of the steady clock at which a step with a larger one begins. */
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
