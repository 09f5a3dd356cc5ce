/**
 * Describes an enumeration that may be null as two branches. If null were one of the values, client generators would
 * create code that does not compile.
 */
interface Schema {
  type?: unknown
  enum?: unknown
  description?: string
  [keyword: string]: unknown
}

const isNullable = ({ type, enum: words }: Schema): boolean =>
  Array.isArray(words) && words.includes(null) && Array.isArray(type) && type.includes('null')

/** Keywords that describe the value and not its type, so they stay outside of the branches. */
const ABOUT: ReadonlySet<string> = new Set(['description', 'default', 'examples', 'deprecated', 'title'])

function branched(schema: Schema): Schema {
  const about = Object.entries(schema).filter(([keyword]) => ABOUT.has(keyword))
  const [type, ...others] = (schema.type as string[]).filter((each) => each !== 'null')
  const rest = Object.entries(schema).filter(([keyword]) => !ABOUT.has(keyword))
  const words = (schema.enum as unknown[]).filter((word) => word !== null)
  const form = { ...Object.fromEntries(rest), type: others.length > 0 ? [type, ...others] : type, enum: words }
  return { ...Object.fromEntries(about), anyOf: [form, { type: 'null' }] }
}

export function withNullBranches<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((entry) => withNullBranches(entry)) as T
  if (isNullable(value as Schema)) return branched(value as Schema) as T
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withNullBranches(part)])) as T
}
