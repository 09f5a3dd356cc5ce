/**
 * Finds names in a request that its operation does not have. A known field in another spelling (`delayMessage`) is
 * refused. Other names are ignored, so that clients may be newer than the service.
 */
import { Failure, type Issue } from '../domain/failures.ts'
import type { Endpoint } from './endpoint.ts'
import { type FieldsSchema, fieldsSchema } from './fields-schema.ts'
import type { RawFields } from './input.ts'

/** Maximum number of ignored names that are reported; their header has a limited length. */
export const MAX_UNKNOWN = 20
const MAX_MISSPELT = 50
/**
 * Maximum length in characters of a name that is compared with the known names. No declared field has a longer name.
 */
const MAX_COMPARED = 64

/** Names that other gateways use for one of our fields. They apply only if the operation has our field. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  messageId: 'reply_to_message_id',
  mentioned: 'mentions',
  editDocumentMessageId: 'edit_message_id',
}

export interface UnknownFields {
  /** Paths of the ignored names, such as `nickname` and `contacts.3.nickname`; at most `MAX_UNKNOWN`. */
  ignored: string[]
  /** One issue per misspelled name, with the path that the caller sent; at most 50. */
  misspelt: Issue[]
}

export function unknownFields(endpoint: Endpoint, fields: RawFields, alsoKnown: readonly string[] = []): UnknownFields {
  const schema = fieldsSchema(endpoint)
  const found: UnknownFields = { ignored: [], misspelt: [] }
  collect(schema, fields, '', schema.$defs ?? {}, found, alsoKnown)
  return found
}

/** Reports the ignored names. Throws `invalid_request` for a misspelled name. */
export function checkNames({ ignored, misspelt }: UnknownFields, onIgnored: (names: string[]) => void): void {
  onIgnored(ignored)
  if (misspelt.length > 0) throw Failure.invalid(...misspelt)
}

function collect(
  schema: FieldsSchema,
  value: unknown,
  path: string,
  named: Record<string, FieldsSchema>,
  found: UnknownFields,
  alsoKnown: readonly string[] = [],
): void {
  if (typeof value !== 'object' || value === null || found.misspelt.length >= MAX_MISSPELT) return
  if (schema.$ref !== undefined) {
    collect(named[schema.$ref.split('/').at(-1)!] ?? {}, value, path, named, found, alsoKnown)
    return
  }
  const branches = schema.anyOf ?? schema.oneOf
  if (branches) {
    const { ignored, misspelt } = closest(branches, value, path, named)
    found.ignored.push(...ignored.slice(0, MAX_UNKNOWN - found.ignored.length))
    found.misspelt.push(...misspelt.slice(0, MAX_MISSPELT - found.misspelt.length))
    return
  }
  const at = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`)
  if (Array.isArray(value)) {
    if (!schema.items) return
    // Only `maxItems` entries are read, because a longer list is refused anyway.
    const { length } = value
    for (let index = 0; index < Math.min(length, schema.maxItems ?? length); index++)
      collect(schema.items, value[index], at(index), named, found)
    return
  }
  const { properties, additionalProperties } = schema
  if (!properties) return
  for (const [name, part] of Object.entries(value)) {
    if (found.misspelt.length >= MAX_MISSPELT) return
    if (Object.hasOwn(properties, name)) collect(properties[name]!, part, at(name), named, found)
    else if (!additionalProperties && !alsoKnown.includes(name)) report(name, at(name), properties, found, alsoKnown)
  }
}

function report(name: string, path: string, properties: Fields, found: UnknownFields, alsoKnown: readonly string[]): void {
  const meant = meantBy(name, properties, alsoKnown)
  if (meant !== undefined) found.misspelt.push({ path, message: `must be spelled ${meant}` })
  else if (found.ignored.length < MAX_UNKNOWN) found.ignored.push(path)
}

type Fields = Readonly<Record<string, FieldsSchema>>

/**
 * Returns the field that a name means: the field with the same letters, or the field for which other gateways use this
 * name. Undefined if there is none.
 */
export function meantBy(name: string, properties: Fields, alsoKnown: readonly string[]): string | undefined {
  if (name.length > MAX_COMPARED) return undefined
  const other = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name]! : ''
  const plain = plainName(name)
  return (
    plainNames(properties).get(plain) ??
    alsoKnown.find((known) => plainName(known) === plain) ??
    (Object.hasOwn(properties, other) ? other : undefined)
  )
}

const plainName = (name: string) => name.replaceAll('_', '').toLowerCase()

const byPlainName = new WeakMap<Fields, ReadonlyMap<string, string>>()

function plainNames(properties: Fields): ReadonlyMap<string, string> {
  const made = byPlainName.get(properties) ?? new Map(Object.keys(properties).map((name) => [plainName(name), name]))
  byPlainName.set(properties, made)
  return made
}

/**
 * Compares the value with each alternative (`oneOf`, `anyOf`), and returns the unknown fields of the alternative that
 * matches best.
 */
function closest(
  branches: readonly FieldsSchema[],
  value: object,
  path: string,
  named: Record<string, FieldsSchema>,
): UnknownFields {
  const isList = Array.isArray(value)
  const readings = branches
    .filter((branch) => branch.$ref !== undefined || (isList ? branch.items : branch.properties) !== undefined)
    .map((branch) => {
      const found: UnknownFields = { ignored: [], misspelt: [] }
      collect(branch, value, path, named, found)
      return found
    })
  // Misspelled names are not counted, because they show that the caller meant this alternative.
  return readings.sort((one, other) => one.ignored.length - other.ignored.length)[0] ?? { ignored: [], misspelt: [] }
}
