/**
 * Converts names and plain values of a request from another spelling to ours. The schemas of the operation say which
 * names and values it has.
 */
import { renamed, snakeCase } from '../../domain/camel-case.ts'
import type { Endpoint } from '../endpoint.ts'
import { type FieldsSchema, fieldsSchema } from '../fields-schema.ts'
import { heldText } from '../held-text.ts'
import type { RawFields } from '../input.ts'
import { meantBy } from '../unknown-fields.ts'

type Named = Readonly<Record<string, FieldsSchema>>

/**
 * Returns the fields in our spelling. `alsoKnown` are names that the route accepts besides the names of the operation.
 */
export function inOurSpelling(endpoint: Endpoint, fields: RawFields, alsoKnown: readonly string[] = []): RawFields {
  const schema = fieldsSchema(endpoint)
  return spelt(schema, fields, schema.$defs ?? {}, alsoKnown) as RawFields
}

function spelt(schema: FieldsSchema, value: unknown, named: Named, alsoKnown: readonly string[] = []): unknown {
  const [whole, ...others] = forms(schema, named)
  if (whole === undefined || value === null) return value
  const all = [whole, ...others]
  if (Array.isArray(value)) {
    const items = all.find((form) => form.items)?.items
    return items ? value.map((entry) => spelt(items, entry, named)) : value
  }
  if (typeof value === 'object') {
    const properties = Object.assign({}, ...all.map((form) => form.properties)) as Named
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => {
        const isOurs = Object.hasOwn(properties, name) || alsoKnown.includes(name)
        const meant = isOurs ? name : (meantBy(name, properties, alsoKnown) ?? name)
        // If a request has both spellings, ours is used, and the other name counts as unknown.
        const ours = meant !== name && Object.hasOwn(value, meant) ? name : meant
        const field = Object.hasOwn(properties, ours) ? properties[ours] : undefined
        return [ours, field === undefined ? withOurNames(part) : spelt(field, part, named)]
      }),
    )
  }
  if (all.some((form) => fits(form, value))) return value
  for (const form of all) {
    const plain = plainValue(form, value)
    if (plain !== undefined) return plain
  }
  return value
}

function forms(schema: FieldsSchema, named: Named): FieldsSchema[] {
  if (schema.$ref !== undefined) return forms(named[schema.$ref.split('/').at(-1)!] ?? {}, named)
  return (schema.anyOf ?? schema.oneOf)?.flatMap((branch) => forms(branch, named)) ?? [schema]
}

const typesOf = ({ type }: FieldsSchema): readonly string[] => [type ?? []].flat()

function fits(form: FieldsSchema, value: unknown): boolean {
  if (form.enum) return form.enum.includes(value)
  const types = typesOf(form)
  const isOfType = types.includes(typeof value) || (typeof value === 'number' && types.includes('integer'))
  return types.length === 0 || isOfType
}

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/

function plainValue(form: FieldsSchema, value: unknown): unknown {
  if (typeof value === 'string' && form.enum) {
    const words = form.enum.filter((word) => typeof word === 'string')
    return words.find((word) => plainWord(word) === plainWord(value)) ?? (isCamel(value) ? snakeCase(value) : undefined)
  }
  for (const type of typesOf(form)) {
    if (type === 'array' && isText(value)) return [value]
    if (type === 'string' && typeof value === 'number') return String(value)
    if (type === 'boolean' && typeof value === 'string' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true'
    if ((type === 'number' || type === 'integer') && typeof value === 'string' && NUMBER.test(value)) return Number(value)
  }
  return undefined
}

/** True for a text, or for the symbol that represents a long text of a large body. */
const isText = (value: unknown) => typeof value === 'string' || heldText(value) !== undefined
const plainWord = (word: string) => word.replaceAll('_', '').toLowerCase()
const isCamel = (word: string) => /^[a-z]+([A-Z][a-z]+)+$/.test(word)

const withOurNames = (value: unknown) => renamed(value, snakeCase)
