interface Plan {
  short: RegExp
  long: RegExp
  /** The digit of the long form that the short form lacks. It stands between the two groups of `long`. */
  digit: string
}

const PLANS: readonly Plan[] = [
  // Brazil: a 9 was added after the area code of mobile numbers.
  { short: /^(55\d\d)([6-9]\d{7})$/, long: /^(55\d\d)9([6-9]\d{7})$/, digit: '9' },
  // Mexico: mobile numbers formerly had a 1 after the country code.
  { short: /^(52)([2-9]\d{9})$/, long: /^(52)1([2-9]\d{9})$/, digit: '1' },
  // Argentina: mobile numbers have a 9 after the country code when they are called from abroad.
  { short: /^(54)([1-8]\d{9})$/, long: /^(54)9([1-8]\d{9})$/, digit: '9' },
]

export function numberForms(digits: string): readonly string[] {
  for (const { short, long, digit } of PLANS) {
    const [from, to] = long.test(digits) ? [long, ''] : [short, digit]
    const [, prefix, rest] = from.exec(digits) ?? []
    if (prefix !== undefined) return [digits, `${prefix}${to}${rest}`]
  }
  return [digits]
}
