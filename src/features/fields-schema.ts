/** JSON Schema of the fields of an operation, for code that needs facts about an input and does not validate it. */
import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'

export interface FieldsSchema {
  $ref?: string
  $defs?: Record<string, FieldsSchema>
  anyOf?: FieldsSchema[]
  oneOf?: FieldsSchema[]
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, FieldsSchema>
  additionalProperties?: FieldsSchema | boolean
  items?: FieldsSchema
  maxItems?: number
}

const schemas = new WeakMap<Endpoint, FieldsSchema>()

export function fieldsSchema(endpoint: Endpoint): FieldsSchema {
  const made =
    schemas.get(endpoint) ?? (z.toJSONSchema(z.object(endpoint.fields), { io: 'input', unrepresentable: 'any' }) as FieldsSchema)
  schemas.set(endpoint, made)
  return made
}
