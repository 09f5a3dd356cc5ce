/** JSON that a stranger wrote into a field of a message: parsed guarded, read field by field, never trusted to have a shape. */
export type Json = Readonly<Record<string, unknown>>

/** An empty object for what is no JSON object. */
export function jsonObject(text: string | null | undefined): Json {
  if (!text) return {}
  try {
    return object(JSON.parse(text))
  } catch {
    // Invalid JSON has no fields: readers need no more than that.
    return {}
  }
}

export const object = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
export const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.map(object) : [])
/** Numbers count as text: some clients write ids that way. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' && Number.isFinite(value) ? String(value) : null
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : null
}
/** `{ value: 1050, offset: 100 }` is 10.50. */
export function amountOf(value: unknown): number | null {
  const { value: units, offset } = object(value)
  const number = numberOf(units)
  const divisor = numberOf(offset) ?? 1
  return number === null || divisor <= 0 ? null : number / divisor
}
