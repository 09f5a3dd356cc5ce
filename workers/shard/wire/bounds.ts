/**
 * Strings and arrays are cut at the bounds of the contract, ids and names of strangers at these two wherever no other is given. Numbers of
 * strangers are checked before they become JSON.
 */
import { toNumber } from '@whiskeysockets/baileys'

/** A number as protobuf gives it: 64-bit ones come as objects. */
type ProtoNumber = Parameters<typeof toNumber>[0]

/** At most `max` UTF-16 units, never half of a surrogate pair. */
export function cut(value: string, max: number): string {
  if (value.length <= max) return value
  const last = value.charCodeAt(max - 1)
  return value.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** Ids, reference ids and identifiers: writers choose them, and can make them as long as they like. Honest ones have 16 to 60 characters. */
export const MAX_ID = 128
/** Names of people, groups and channels. */
export const MAX_NAME = 256
/** The longest an about text is. */
export const MAX_ABOUT = 139

/** An absent or empty string is null in the API. */
export const cutOrNull = (value: string | null | undefined, max: number): string | null => (value ? cut(value, max) : null)

export const idOrNull = (id: string | null | undefined): string | null => cutOrNull(id, MAX_ID)
export const idOrEmpty = (id: string | null | undefined): string => cutOrEmpty(id, MAX_ID)

/** A field that is always a string: empty when the sender left it out. */
export const cutOrEmpty = (value: string | null | undefined, max: number): string => cut(value ?? '', max)

/** Null for what is absent or no number that JSON can carry. */
export function decimal(value: ProtoNumber): number | null {
  if (value === null || value === undefined) return null
  const number = toNumber(value)
  return Number.isFinite(number) ? number : null
}

/** Null for what is absent, negative or past what a double holds exactly. */
export function count(value: ProtoNumber): number | null {
  const number = decimal(value)
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null
}

/** Prices travel in thousandths. */
export function thousandths(value: ProtoNumber): number | null {
  const number = decimal(value)
  return number === null ? null : number / 1_000
}

/** Epoch seconds as a stanza carries them; undefined for one without a time, or with one that is no time. */
export function networkSeconds(t: string | undefined): number | undefined {
  const seconds = Number(t)
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : undefined
}

/** The same; a stanza without a time is of this moment (`now`, epoch ms). */
export const secondsOf = (t: string | undefined, now: number): number => networkSeconds(t) ?? Math.floor(now / 1_000)

/** ISO-8601 of epoch ms; null for a time no calendar has. */
export function isoOrNull(at: number | null): string | null {
  if (at === null) return null
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** Of a time in seconds; 0 is what an unset field holds. */
export function secondsToIso(value: ProtoNumber): string | null {
  const seconds = decimal(value)
  return seconds === null || seconds <= 0 ? null : isoOrNull(seconds * 1_000)
}

export function millisecondsToIso(value: ProtoNumber): string | null {
  const at = decimal(value)
  return at === null || at <= 0 ? null : isoOrNull(at)
}
