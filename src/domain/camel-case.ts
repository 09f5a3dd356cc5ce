/** Converts names of requests, answers and events to and from camelCase, for clients that use it. */

export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
export const camelCase = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Objects whose names are not ours: the passkey standard, the form of a business. */
const FOREIGN: ReadonlySet<string> = new Set(['public_key', 'params'])
/** Nesting levels that are renamed: no request or answer of ours has more, and a deeply nested body must not overflow the stack. */
const MAX_DEPTH = 16

/** The same value with other names in its objects. */
export function renamed(value: unknown, nameOf: (name: string) => string, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((entry) => renamed(entry, nameOf, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [nameOf(name), FOREIGN.has(name) ? part : renamed(part, nameOf, depth + 1)]),
  )
}

/** An answer or event with its names in camelCase. */
export const inCamelCase = (value: unknown) => renamed(value, camelCase)

/** The path of an issue, in camelCase. */
export const camelPath = (path: string) => path.split('.').map(camelCase).join('.')
