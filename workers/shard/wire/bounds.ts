/** Limits strings, arrays and numbers that other people choose to the bounds of the API. */
import { toNumber } from '@whiskeysockets/baileys'

type ProtoNumber = Parameters<typeof toNumber>[0]

/** Truncates a text to `max` UTF-16 units, never in the middle of a surrogate pair. */
export function cut(value: string, max: number): string {
  if (value.length <= max) return value
  const last = value.charCodeAt(max - 1)
  return value.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** Maximum number of characters of an id. Senders choose ids; ordinary ones have 16 to 60 characters. */
export const MAX_ID = 128
export const MAX_NAME = 256
export const MAX_ABOUT = 139

/** Truncates a text. The result for an absent or empty text is null, as in the API. */
export const cutOrNull = (value: string | null | undefined, max: number): string | null => (value ? cut(value, max) : null)

export const idOrNull = (id: string | null | undefined): string | null => cutOrNull(id, MAX_ID)
export const idOrEmpty = (id: string | null | undefined): string => cutOrEmpty(id, MAX_ID)

/** Truncates a text. The result is empty if the sender omitted the field. */
export const cutOrEmpty = (value: string | null | undefined, max: number): string => cut(value ?? '', max)

export function decimal(value: ProtoNumber): number | null {
  if (value === null || value === undefined) return null
  const number = toNumber(value)
  return Number.isFinite(number) ? number : null
}

/** Returns a count. Null if it is absent, negative, not whole, or too large to be exact as a double. */
export function count(value: ProtoNumber): number | null {
  const number = decimal(value)
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null
}

export function thousandths(value: ProtoNumber): number | null {
  const number = decimal(value)
  return number === null ? null : number / 1_000
}

/** Parses epoch seconds of a stanza; undefined if the time is absent or invalid. */
export function networkSeconds(t: string | undefined): number | undefined {
  const seconds = Number(t)
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : undefined
}

/**
 * Returns the time of a stanza in epoch seconds. A stanza without a time gets the current time (`now`, in
 * epoch ms).
 */
export const secondsOf = (t: string | undefined, now: number): number => networkSeconds(t) ?? Math.floor(now / 1_000)

/** Converts epoch ms to ISO-8601; null for null, and for a time outside of the calendar. */
export function isoOrNull(at: number | null): string | null {
  if (at === null) return null
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/**
 * Converts epoch seconds to ISO-8601. Null if the value is absent, outside of the calendar, or not positive: 0 means
 * that the field is not set.
 */
export function secondsToIso(value: ProtoNumber): string | null {
  const seconds = decimal(value)
  return seconds === null || seconds <= 0 ? null : isoOrNull(seconds * 1_000)
}

export function millisecondsToIso(value: ProtoNumber): string | null {
  const at = decimal(value)
  return at === null || at <= 0 ? null : isoOrNull(at)
}
