/** Reads a phone number as people write it, and notices one whose country code is missing. */

/** Characters that people put between the digits of a number. */
const BETWEEN = /[\s().\-/\u00a0\u2010-\u2015]/g
/** A text that is meant as a number, and not as the id of a group or channel. */
const NUMBER = /^\+?\d{3,20}$/
/** Country codes have one to three digits. */
const MOST_COUNTRY_DIGITS = 3

export interface PhoneInput {
  /** The number without what stands between its digits; an id of a group or channel unchanged. */
  phone: string
  /** Number with the country code of `own` that was probably meant; null if the input looks complete. */
  meant: string | null
  /** Whether the number certainly has no country code, as none begins with 0. */
  isNational: boolean
}

/**
 * Reads the input of a person. A number with `+` or `00` is complete. Another one is probably a national number if it would be as long as `own`, the
 * number of the account that sends, with the country code of `own` in front.
 */
export function readPhone(input: string, own: string | null = null): PhoneInput {
  const text = input.trim()
  const bare = text.replace(BETWEEN, '')
  if (!NUMBER.test(bare)) return { phone: text, meant: null, isNational: false }
  if (bare.startsWith('+')) return { phone: bare.slice(1), meant: null, isNational: false }
  if (bare.startsWith('00')) return { phone: bare.slice(2), meant: null, isNational: false }
  const national = bare.replace(/^0+/, '')
  const missing = (own ?? '').length - national.length
  const isShort = missing > 0 && missing <= MOST_COUNTRY_DIGITS
  return { phone: bare, meant: isShort ? own!.slice(0, missing) + national : null, isNational: bare !== national }
}
