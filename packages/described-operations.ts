import { describe } from '../src/http/description/openapi.ts'

export interface FieldSchema {
  $ref?: string
  type?: string | string[]
  enum?: string[]
  items?: FieldSchema
  format?: string
  default?: unknown
  minimum?: number
  maximum?: number
  description?: string
  properties?: Record<string, FieldSchema>
  required?: string[]
}
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: FieldSchema
}
export interface Operation {
  operationId: string
  summary: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: FieldSchema }> }
  responses: Record<string, { headers?: unknown; content?: Record<string, unknown> }>
}
export interface Description {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: { headers?: unknown; schemas: Record<string, FieldSchema> }
}
export interface DescribedOperation {
  path: string
  method: string
  operation: Operation
}

export type Endpoints = Parameters<typeof describe>[0]

export const OF_INSTANCE = '/instances/{instance_id}/token/{token}'
/** Names of the parameters that the client sets itself. */
const SET_BY_CLIENT: ReadonlySet<string> = new Set(['Idempotency-Key', 'Prefer', 'Last-Event-ID'])
/**
 * Id of the operation that opens the event stream. The client has an iteration for it, and no method that returns an
 * answer.
 */
const STREAM = 'webhooks.events'

export const descriptionOf = (endpoints: Endpoints) => JSON.parse(describe(endpoints).json) as Description

export const isOfInstance = (path: string) => path.startsWith(OF_INSTANCE)

export const isSend = ({ parameters }: Operation) => parameters?.some(({ name }) => name === 'Idempotency-Key') === true

/** Returns all operations for which the client has a method: every one except the event stream. */
export function operationsOf({ paths }: Description): DescribedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => operationId !== undefined && operationId !== STREAM)
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
}

/**
 * Returns the parameters that a caller of the client gives. The credentials, and the parameters that the client sets
 * itself, are left out.
 */
export function ownParameters(path: string, { parameters = [] }: Operation): Parameter[] {
  const isCredential = ({ in: place, name }: Parameter) =>
    isOfInstance(path) && place === 'path' && /^(instance_id|token)$/.test(name)
  return parameters.filter((each) => !isCredential(each) && !SET_BY_CLIENT.has(each.name))
}

export function bodyOf({ components }: Description, { requestBody }: Operation): FieldSchema | undefined {
  const schema = requestBody?.content['application/json']?.schema
  return schema?.$ref === undefined ? schema : components.schemas[schema.$ref.slice('#/components/schemas/'.length)]
}
