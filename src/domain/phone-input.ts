const BETWEEN = /[\s().\-/\u00a0\u2010-\u2015]/g
const NUMBER = /^\+?\d{3,20}$/
const MOST_COUNTRY_DIGITS = 3

export interface PhoneInput {
  phone: string
  /**
   * The typed number with the country code of the sender's number `own`, which the person probably meant. Null unless
   * exactly the country code seems to be missing.
   */
  meant: string | null
  /** True if the number begins with one 0. No country code begins with 0, so the country code is missing. */
  isNational: boolean
}

/**
 * Reads a phone number that a person typed. A number with `+` or `00` is complete. Another number that is one to three
 * digits shorter than the sender's number `own` probably lacks the country code.
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
