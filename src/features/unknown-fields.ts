/** Fields of a request that its operation does not have: they have no effect, so the answer names them to the caller. */
import type { Endpoint } from './endpoint.ts'
import { type FieldsSchema, fieldsSchema } from './fields-schema.ts'
import type { RawFields } from './input.ts'

/** Names that are looked for: a header has room for few, and a body may have thousands. */
export const MAX_UNKNOWN = 20

/** Paths as in `details.issues`, e.g. `delayMessage` and `contacts.3.nickname`; the first of them, `MAX_UNKNOWN` at most. */
export function unknownFields(endpoint: Endpoint, fields: RawFields): string[] {
  const schema = fieldsSchema(endpoint)
  const found: string[] = []
  collect(schema, fields, '', schema.$defs ?? {}, found)
  return found
}

function collect(schema: FieldsSchema, value: unknown, path: string, named: Record<string, FieldsSchema>, found: string[]): void {
  if (typeof value !== 'object' || value === null || found.length >= MAX_UNKNOWN) return
  if (schema.$ref !== undefined) {
    collect(named[schema.$ref.split('/').at(-1)!] ?? {}, value, path, named, found)
    return
  }
  const branches = schema.anyOf ?? schema.oneOf
  if (branches) {
    found.push(...closest(branches, value, path, named).slice(0, MAX_UNKNOWN - found.length))
    return
  }
  const at = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`)
  if (Array.isArray(value)) {
    if (!schema.items) return
    // A list beyond its bound is refused whatever stands there, and a body has room for thousands of entries.
    const { length } = value
    for (let index = 0; index < Math.min(length, schema.maxItems ?? length); index++)
      collect(schema.items, value[index], at(index), named, found)
    return
  }
  const { properties, additionalProperties } = schema
  if (!properties) return
  for (const [name, part] of Object.entries(value)) {
    if (found.length >= MAX_UNKNOWN) return
    if (Object.hasOwn(properties, name)) collect(properties[name]!, part, at(name), named, found)
    // `false` and nothing are the same: what is not declared is not there.
    else if (!additionalProperties) found.push(at(name))
  }
}

/** Of several forms the one that the value fits best. */
function closest(branches: readonly FieldsSchema[], value: object, path: string, named: Record<string, FieldsSchema>): string[] {
  const isList = Array.isArray(value)
  const readings = branches
    .filter((branch) => branch.$ref !== undefined || (isList ? branch.items : branch.properties) !== undefined)
    .map((branch) => {
      const found: string[] = []
      collect(branch, value, path, named, found)
      return found
    })
  return readings.sort((one, other) => one.length - other.length)[0] ?? []
}
