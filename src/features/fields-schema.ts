/** The fields of an operation as the description reads them: what is looked up about an input before or beside its validation. */
import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'

/** Of JSON Schema what the fields of operations use. */
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

/** Made when an operation is asked for the first time. */
export function fieldsSchema(endpoint: Endpoint): FieldsSchema {
  const made =
    schemas.get(endpoint) ?? (z.toJSONSchema(z.object(endpoint.fields), { io: 'input', unrepresentable: 'any' }) as FieldsSchema)
  schemas.set(endpoint, made)
  return made
}
