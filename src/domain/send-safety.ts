/** Settings that limit how many people an instance writes to, and when. All are off by default. */

/**
 * Hours of the day in which most new messages wait. Answers to received messages do not wait. If `from` is later than
 * `to`, the hours include midnight.
 */
export interface QuietHours {
  from: string
  to: string
  /** IANA name, such as `America/Sao_Paulo`. */
  time_zone: string
}

/**
 * A step of the warm-up of a new number. Its limit applies from this day after the linking until the next step begins.
 */
export interface WarmUpStep {
  day: number
  /** Maximum number of first contacts in 24 hours; null for no limit. */
  per_day: number | null
}

export interface SendSafetySettings {
  /** Maximum number of people to whom the account writes for the first time in 60 minutes; null for no limit. */
  first_contacts_per_hour: number | null
  /** Maximum number of people to whom the account writes for the first time in 24 hours; null for no limit. */
  first_contacts_per_day: number | null
  first_contacts_warm_up: WarmUpStep[] | null
  quiet_hours: QuietHours | null
  pause_after_unanswered: number | null
}

export const SEND_SAFETY_OFF: SendSafetySettings = {
  first_contacts_per_hour: null,
  first_contacts_per_day: null,
  first_contacts_warm_up: null,
  quiet_hours: null,
  pause_after_unanswered: null,
}

export const SAFETY_REASONS = ['first_contact_budget', 'quiet_hours', 'unanswered'] as const
export type SafetyReason = (typeof SAFETY_REASONS)[number]

export const hasBudget = (settings: SendSafetySettings): boolean =>
  settings.first_contacts_per_hour !== null ||
  settings.first_contacts_per_day !== null ||
  settings.first_contacts_warm_up !== null

export const isSendSafetyOn = (settings: SendSafetySettings): boolean =>
  hasBudget(settings) || settings.quiet_hours !== null || settings.pause_after_unanswered !== null
