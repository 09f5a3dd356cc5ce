/** Converts field names of requests, answers and events to and from camelCase, for clients that use it. */

export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
export const camelCase = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/**
 * Fields whose objects keep their field names, because these names are defined outside of this service: by the passkey standard, and by a business
 * for its own form.
 */
const FOREIGN: ReadonlySet<string> = new Set(['public_key', 'params'])
/**
 * Maximum number of nesting levels in which fields are renamed: no valid request or answer has more levels. The limit prevents a stack overflow by a
 * deeply nested body.
 */
const MAX_DEPTH = 16

/** Returns a copy of the value whose object fields are renamed by `nameOf`. */
export function renamed(value: unknown, nameOf: (name: string) => string, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((entry) => renamed(entry, nameOf, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [nameOf(name), FOREIGN.has(name) ? part : renamed(part, nameOf, depth + 1)]),
  )
}

/** Returns an answer or event with its field names in camelCase. */
export const inCamelCase = (value: unknown) => renamed(value, camelCase)

/** Returns the path of a field in camelCase. `details.issues` of an error contains such paths. */
export const camelPath = (path: string) => path.split('.').map(camelCase).join('.')
