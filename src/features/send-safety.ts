import { z } from 'zod'
import type { SendSafetySettings, WarmUpStep } from '../domain/send-safety.ts'

const MOST = 1_000
const MOST_STEPS = 20
const LAST_DAY = 365

const time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time of day as HH:MM' })
  .meta({ description: 'Time of day, `HH:MM`.', examples: ['22:00'] })

/** True for the name of a time zone. Names such as `+03:00` are refused, although `Intl` accepts them. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const QuietHours = z
  .object({
    from: time,
    to: time,
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZone, { error: 'must be an IANA time zone' })
      .meta({ description: 'IANA name of the time zone.', examples: ['America/Sao_Paulo'] }),
  })
  .refine(({ from, to }) => from !== to, { error: 'must end at another time than they begin', path: ['to'] })
  .meta({ id: 'QuietHours' })

const isAscending = (steps: readonly WarmUpStep[]) => steps.every(({ day }, at) => at === 0 || day > steps[at - 1]!.day)

const WarmUp = z
  .array(
    z
      .object({
        day: z.int().min(0).max(LAST_DAY).meta({ description: 'Days since the number was linked.' }),
        per_day: z
          .int()
          .min(0)
          .max(MOST)
          .nullable()
          .meta({ description: 'The most first contacts in 24 hours from that day on; null for no limit.' }),
      })
      .meta({ id: 'WarmUpStep', description: 'Budget of a new number from a day on.' }),
  )
  .min(1)
  .max(MOST_STEPS)
  .refine(isAscending, { error: 'must have ascending days' })

const limit = (most: number) => z.int().min(1).max(most).nullable()

const NOTES = {
  first_contacts_per_hour: 'The most people to whom the account writes for the first time in 60 minutes; null for no limit.',
  first_contacts_per_day: 'The most people to whom the account writes for the first time in 24 hours; null for no limit.',
  first_contacts_warm_up:
    'Budget for 24 hours by the age of the link, for new numbers: the last step whose day has come applies. Null for none. The smaller of this and `first_contacts_per_day` counts.',
  quiet_hours:
    'Hours of the day, also across midnight, in which messages wait, except those to the account itself and to chats in which somebody else wrote in the last 24 hours. Null for none.',
  pause_after_unanswered: 'Messages to a person who did not answer this many wait until the person writes; null for no pause.',
} satisfies Record<keyof SendSafetySettings, string>

const schemas = {
  first_contacts_per_hour: limit(MOST),
  first_contacts_per_day: limit(MOST),
  first_contacts_warm_up: WarmUp.nullable(),
  quiet_hours: QuietHours.nullable(),
  pause_after_unanswered: limit(100),
} satisfies Record<keyof SendSafetySettings, z.ZodType>

export const sendSafetyShown = {
  first_contacts_per_hour: schemas.first_contacts_per_hour.meta({ description: NOTES.first_contacts_per_hour }),
  first_contacts_per_day: schemas.first_contacts_per_day.meta({ description: NOTES.first_contacts_per_day }),
  first_contacts_warm_up: schemas.first_contacts_warm_up.meta({ description: NOTES.first_contacts_warm_up }),
  quiet_hours: schemas.quiet_hours.meta({ description: NOTES.quiet_hours }),
  pause_after_unanswered: schemas.pause_after_unanswered.meta({ description: NOTES.pause_after_unanswered }),
}

export const sendSafetyFields = {
  first_contacts_per_hour: sendSafetyShown.first_contacts_per_hour
    .optional()
    .meta({ description: NOTES.first_contacts_per_hour }),
  first_contacts_per_day: sendSafetyShown.first_contacts_per_day.optional().meta({ description: NOTES.first_contacts_per_day }),
  first_contacts_warm_up: sendSafetyShown.first_contacts_warm_up.optional().meta({ description: NOTES.first_contacts_warm_up }),
  quiet_hours: sendSafetyShown.quiet_hours.optional().meta({ description: NOTES.quiet_hours }),
  pause_after_unanswered: sendSafetyShown.pause_after_unanswered.optional().meta({ description: NOTES.pause_after_unanswered }),
}
