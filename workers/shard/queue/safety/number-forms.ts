/**
 * The forms in which people write one mobile number of a country with an optional digit. Only one form is registered with the network. The forms are
 * computed here and not asked for, because a query for each waiting message could count against the account.
 */

interface Plan {
  short: RegExp
  long: RegExp
  /** The digit that only the long form of a number has, between the two groups of the patterns: the 9 of Brazilian mobile numbers, for example. */
  digit: string
}

const PLANS: readonly Plan[] = [
  // Brazil: mobile numbers have got a 9 after the area code. Landlines, which begin with 2 to 5, have not.
  { short: /^(55\d\d)([6-9]\d{7})$/, long: /^(55\d\d)9([6-9]\d{7})$/, digit: '9' },
  // Mexico: mobile numbers had a 1 after the country code.
  { short: /^(52)([2-9]\d{9})$/, long: /^(52)1([2-9]\d{9})$/, digit: '1' },
  // Argentina: mobile numbers have a 9 after the country code when they are called from abroad.
  { short: /^(54)([1-8]\d{9})$/, long: /^(54)9([1-8]\d{9})$/, digit: '9' },
]

/** Returns all forms of a number; the first one is the given form. */
export function numberForms(digits: string): readonly string[] {
  for (const { short, long, digit } of PLANS) {
    const [from, to] = long.test(digits) ? [long, ''] : [short, digit]
    const [, prefix, rest] = from.exec(digits) ?? []
    if (prefix !== undefined) return [digits, `${prefix}${to}${rest}`]
  }
  return [digits]
}
