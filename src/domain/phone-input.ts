/** Reads a phone number as people write it, and notices one whose country code is missing. */

/** Characters that people put between the digits of a number. */
const BETWEEN = /[\s().\-/\u00a0\u2010-\u2015]/g
/** Matches a text that is meant as a phone number, and not as the id of a group or channel. */
const NUMBER = /^\+?\d{3,20}$/
/** Country codes have one to three digits. */
const MOST_COUNTRY_DIGITS = 3

export interface PhoneInput {
  /** The number as digits only; the id of a group or channel is unchanged. */
  phone: string
  /** The number with the country code of `own`, which was probably meant; null if the input looks complete. */
  meant: string | null
  /** True if the number begins with 0: then it has no country code, because no country code begins with 0. */
  isNational: boolean
}

/**
 * Reads the input of a person. A number with `+` or `00` is complete. Any other number is compared with `own`, the number of the sending account: if it
 * is one to three digits shorter, these digits are probably the missing country code.
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
