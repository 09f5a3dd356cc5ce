/** Converts field names of requests, answers and events to and from camelCase, for clients that use it. */

export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
export const camelCase = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Fields whose objects keep their field names, because others define them: the passkey standard and the form of a business. */
const FOREIGN: ReadonlySet<string> = new Set(['public_key', 'params'])
/**
 * Most nesting levels in which fields are renamed: no request or answer of ours has more, and a deeply nested body must
 * not overflow the stack.
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

/** Returns the path of an issue in camelCase. */
export const camelPath = (path: string) => path.split('.').map(camelCase).join('.')
