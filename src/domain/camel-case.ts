/** Converts field names of requests, answers and events to and from camelCase, for clients that use it. */

export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
export const camelCase = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Fields whose objects keep their field names, because the passkey standard or a business defined these names. */
const FOREIGN: ReadonlySet<string> = new Set(['public_key', 'params'])
/**
 * Maximum nesting depth at which fields are renamed, so that a deeply nested body cannot overflow the stack. Valid
 * bodies are less deep.
 */
const MAX_DEPTH = 16

export function renamed(value: unknown, nameOf: (name: string) => string, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((entry) => renamed(entry, nameOf, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [nameOf(name), FOREIGN.has(name) ? part : renamed(part, nameOf, depth + 1)]),
  )
}

export const inCamelCase = (value: unknown) => renamed(value, camelCase)

export const camelPath = (path: string) => path.split('.').map(camelCase).join('.')
