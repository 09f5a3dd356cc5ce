import { Failure } from '../../../../src/domain/failures.ts'
import { assertBusiness } from '../../connection/identity.ts'
import { cut, cutOrNull, MAX_ID, MAX_NAME } from '../../wire/bounds.ts'
import {
  categoriesIn,
  categoriesQuery,
  type OpeningHours,
  profileChangeQuery,
  profileIn,
  profileQuery,
} from '../../wire/business-profile.ts'
import type { Handlers } from '../types.ts'
import { accountOf } from './accounts.ts'

const DONE = { value: true } as const

const MAX_CATEGORIES = 200
/** Maximum lengths and numbers of shown values. They are equal to the limits for values that callers write. */
const BOUNDS = {
  description: 512,
  address: 256,
  email: 128,
  website: 256,
  websites: 2,
  categories: 3,
  days: 21,
  timezone: 64,
} as const

const MINUTES = 60
const LAST_MINUTE = 24 * MINUTES - 1

export const businessProfile: Handlers<typeof import('../../../../src/features/business/profile.ts')> = {
  async 'business.profile'(context, { phone }) {
    const { ask, session } = context
    const jid = await accountOf(context, phone)
    const profile = profileIn(await ask(profileQuery(jid)))
    if (profile === null) throw new Failure('not_found', { message: 'The account has no business profile.' })
    const { hours } = profile
    return {
      phone: (await session.identity.person(jid)).phone,
      description: cutOrNull(profile.description, BOUNDS.description),
      address: cutOrNull(profile.address, BOUNDS.address),
      email: cutOrNull(profile.email, BOUNDS.email),
      websites: profile.websites.slice(0, BOUNDS.websites).map((website) => cut(website, BOUNDS.website)),
      categories: profile.categories.slice(0, BOUNDS.categories).map(shownCategory),
      hours: hours && {
        timezone: cutOrNull(hours.timezone, BOUNDS.timezone),
        days: hours.days.slice(0, BOUNDS.days).map(shownHours),
      },
      cart_enabled: profile.isCartEnabled,
      has_cover_photo: profile.hasCoverPhoto,
    }
  },

  async 'business.updateProfile'({ ask, session }, changes) {
    assertBusiness(session)
    await ask(profileChangeQuery(changes))
    return DONE
  },

  async 'business.updateHours'({ ask, session }, { timezone, days }) {
    assertBusiness(session)
    const hours = days.map(({ day, mode, open_time, close_time }): OpeningHours => {
      const hasTimes = mode === 'specific_hours'
      return { day, mode, opensAt: hasTimes ? minutesOf(open_time) : null, closesAt: hasTimes ? minutesOf(close_time) : null }
    })
    await ask(profileChangeQuery({ hours: { timezone: asWritten(timezone), days: hours } }))
    return DONE
  },

  async 'business.categories'({ ask, session }, { q }) {
    assertBusiness(session)
    return {
      data: categoriesIn(await ask(categoriesQuery(q)))
        .slice(0, MAX_CATEGORIES)
        .map(shownCategory),
    }
  },
}

/** Matches the name of a time zone with an area and a place, as the tz database writes it. */
const PLACE = /^(?:US|[A-Z][a-z]+)(?:\/[A-Z][a-z][\w-]*)+$/

/**
 * Returns the exact name of a time zone in the tz database. Callers may write it in any case (`utc`), but the apps need
 * the exact name, and use GMT for any other.
 */
function asWritten(name: string): string {
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
  return timeZone.toLowerCase() !== name.toLowerCase() && PLACE.test(name) ? name : timeZone
}

const shownCategory = ({ id, name }: { id: string; name: string }) => ({ id: cut(id, MAX_ID), name: cut(name, MAX_NAME) })

const shownHours = ({ day, mode, opensAt, closesAt }: OpeningHours) => ({
  day,
  mode,
  open_time: clockOf(opensAt),
  close_time: clockOf(closesAt),
})

function clockOf(minutes: number | null): string | null {
  if (minutes === null) return null
  const within = Math.min(minutes, LAST_MINUTE)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(within / MINUTES))}:${two(within % MINUTES)}`
}

function minutesOf(clock: string | undefined): number | null {
  if (clock === undefined) return null
  const [hours = 0, minutes = 0] = clock.split(':').map(Number)
  return hours * MINUTES + minutes
}
