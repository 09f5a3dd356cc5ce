/** Strings and arrays are cut at the bounds of the contract; ids never are. */

/** At most `max` UTF-16 units, never half of a surrogate pair. */
export function cut(value: string, max: number): string {
  if (value.length <= max) return value
  const last = value.charCodeAt(max - 1)
  return value.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** An absent or empty string is null in the API. */
export const cutOrNull = (value: string | null | undefined, max: number): string | null => (value ? cut(value, max) : null)
