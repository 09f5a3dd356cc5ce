/** zod to the JSON Schema of OpenAPI 3.1 (which is JSON Schema 2020-12). Schemas with an id become components, once. */
import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

export interface Schemas {
  /** The schema, with references to components. */
  of(schema: z.ZodType): JsonSchema
  components: Record<string, JsonSchema>
}

const LOCAL = '#/$defs/'
const COMPONENT = '#/components/schemas/'

/** zod bounds every whole number by what a double holds exactly: true, and noise to a reader. */
function withoutNoise(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

function rewrite(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewrite)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [key, inner.replace(LOCAL, COMPONENT)] : [key, rewrite(inner)],
  )
  return Object.fromEntries(entries)
}

export function createSchemas(): Schemas {
  const components: Record<string, JsonSchema> = {}
  return {
    components,
    of(schema) {
      // What a caller writes: of a transformed field the text before it. Replies transform nothing, so it is the same for them.
      const json = z.toJSONSchema(schema, { io: 'input', override: ({ jsonSchema }) => withoutNoise(jsonSchema as JsonSchema) })
      const { $schema: _, $defs = {}, ...rest } = rewrite(json) as JsonSchema & { $defs?: Record<string, JsonSchema> }
      for (const [name, { id: _id, ...definition }] of Object.entries($defs)) components[name] = definition
      return rest
    },
  }
}
