/**
 * `npm run client`: writes what the TypeScript client knows of the operations, from the OpenAPI description. A test
 * holds both files equal to their source (`test/e2e/client.test.ts`).
 *
 * - `schema.ts`: the types, by `openapi-typescript` (`npm ci --prefix test/clients` installs it).
 * - `operations.ts`: a table with the route of each operation, and its method with its documentation.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe } from '../src/http/description/openapi.ts'

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
}
interface Operation {
  operationId: string
  summary: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: { $ref?: string; properties?: Record<string, unknown> } }> }
  responses: Record<string, { headers?: unknown; content?: Record<string, unknown> }>
}
interface Description {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: { headers?: unknown; schemas: Record<string, { properties?: Record<string, unknown> }> }
}

const OF_INSTANCE = '/instances/{instance_id}/token/{token}'
/** Parameters that the client sets by itself. */
const SET_BY_CLIENT: ReadonlySet<string> = new Set(['Idempotency-Key', 'Prefer', 'Last-Event-ID'])
/** The event stream is an iteration in the client. */
const STREAM = 'webhooks.events'

const isOfInstance = (path: string) => path.startsWith(OF_INSTANCE)

/** Returns the source of both files. `tools`: folder in which `openapi-typescript` is installed. */
export function clientSources(endpoints: Parameters<typeof describe>[0], tools: string): { schema: string; operations: string } {
  const description = JSON.parse(describe(endpoints).json) as Description
  const operations = operationsSource(description)
  return { schema: schemaSource(reduced(description), tools), operations }
}

function operationsOf({ paths }: Description): { path: string; method: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => operationId !== undefined && operationId !== STREAM)
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
}

/** Removes what the types of the client do not need: refusals, headers, examples, and parameters that the client sets. */
function reduced(description: Description): unknown {
  const copy = structuredClone(description)
  for (const [path, methods] of Object.entries(copy.paths)) {
    for (const operation of Object.values(methods)) {
      if (operation.operationId === undefined) continue
      const isCredential = ({ in: place, name }: Parameter) =>
        isOfInstance(path) && place === 'path' && /^(instance_id|token)$/.test(name)
      operation.parameters = operation.parameters?.filter((each) => !isCredential(each) && !SET_BY_CLIENT.has(each.name))
      operation.responses = Object.fromEntries(
        Object.entries(operation.responses)
          .filter(([status]) => status.startsWith('2'))
          .map(([status, { headers: _, ...answer }]) => [status, answer]),
      )
    }
  }
  const { headers: _, ...components } = copy.components
  return withoutExamples({ ...copy, components, webhooks: {} })
}

function withoutExamples(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutExamples)
  if (typeof node !== 'object' || node === null) return node
  const kept = Object.entries(node).filter(([name]) => name !== 'examples' && name !== 'example' && name !== 'x-codeSamples')
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutExamples(value)]))
}

function schemaSource(description: unknown, tools: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-client-'))
  try {
    const [from, to] = [join(folder, 'openapi.json'), join(folder, 'schema.ts')]
    writeFileSync(from, JSON.stringify(description))
    execFileSync(process.execPath, [join(tools, 'node_modules/openapi-typescript/bin/cli.js'), from, '-o', to], { stdio: 'pipe' })
    const source = readFileSync(to, 'utf8')
    // The types by path say the same as those by operation.
    const [paths, rest] = [source.indexOf('export interface paths'), source.indexOf('export interface components')]
    if (paths === -1 || rest === -1) throw new Error('openapi-typescript writes its file in another form than before')
    return source.slice(0, paths) + source.slice(rest)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function operationsSource(description: Description): string {
  const all = operationsOf(description)
  return [
    '/** Written by `npm run client` from the OpenAPI description. */',
    "import type { Method, SendMethod } from '../method.ts'",
    "import type { Route } from '../route.ts'",
    '',
    tableOf(
      'INSTANCE_ROUTES',
      description,
      all.filter(({ path }) => isOfInstance(path)),
    ),
    groupsOf(
      'InstanceGroups',
      all.filter(({ path }) => isOfInstance(path)),
    ),
    tableOf(
      'SERVICE_ROUTES',
      description,
      all.filter(({ path }) => !isOfInstance(path)),
    ),
    groupsOf(
      'ServiceGroups',
      all.filter(({ path }) => !isOfInstance(path)),
    ),
  ].join('\n')
}

type Listed = ReturnType<typeof operationsOf>

function tableOf(name: string, description: Description, operations: Listed): string {
  const rows = operations.map((each) => `  '${each.operation.operationId}': ${JSON.stringify(routeOf(description, each))},`)
  return `export const ${name}: Readonly<Record<string, Route>> = {\n${rows.join('\n')}\n}\n`
}

function routeOf(description: Description, { path, method, operation }: Listed[number]) {
  const parameters = operation.parameters ?? []
  const named = (place: Parameter['in']) =>
    parameters.filter(({ in: at, name }) => at === place && !SET_BY_CLIENT.has(name)).map(({ name }) => name)
  const [query, headers] = [named('query'), named('header')]
  const [type] = Object.keys(operation.requestBody?.content ?? {})
  const json = operation.requestBody?.content['application/json']
  const answer = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))
  const [answered = 'application/json'] = Object.keys(answer?.[1].content ?? {})
  assertDistinct(operation.operationId, [
    ...(isOfInstance(path) ? named('path').filter((each) => !/^(instance_id|token)$/.test(each)) : named('path')),
    ...query,
    ...headers,
    ...fieldsOf(description, json?.schema),
  ])
  return {
    method,
    path: isOfInstance(path) ? path.slice(OF_INSTANCE.length) : path,
    ...(query.length > 0 ? { query } : {}),
    ...(headers.length > 0 ? { headers } : {}),
    ...(type === undefined ? {} : { body: json ? 'json' : 'bytes' }),
    ...(answered === 'application/json' ? {} : { answer: answered.startsWith('text/') ? 'text' : 'bytes' }),
    ...(isSend(operation) ? { isSend: true } : {}),
  }
}

const isSend = ({ parameters }: Operation) => parameters?.some(({ name }) => name === 'Idempotency-Key') === true

function fieldsOf(
  { components }: Description,
  schema: { $ref?: string; properties?: Record<string, unknown> } | undefined,
): string[] {
  const found = schema?.$ref === undefined ? schema : components.schemas[schema.$ref.slice('#/components/schemas/'.length)]
  return Object.keys(found?.properties ?? {})
}

/** Path, query and body are one object in the client, so no name may stand in two of them. */
function assertDistinct(id: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`${id} has two fields with the name ${twice}`)
}

function groupsOf(name: string, operations: Listed): string {
  const groupOf = ({ operation }: Listed[number]) => operation.operationId.split('.')[0]
  const members = [...new Set(operations.map(groupOf))].map((group) => {
    const methods = operations.filter((each) => groupOf(each) === group).map(methodOf)
    return `  ${group}: {\n${methods.join('\n')}\n  }`
  })
  return `export interface ${name} {\n${members.join('\n')}\n}\n`
}

function methodOf({ operation }: Listed[number]): string {
  const { operationId: id, summary, description } = operation
  const text = [summary, ...(description ? ['', ...description.split('\n')] : [])].map((line) => line.replaceAll('*/', '*\\/'))
  const comment = text.map((line) => (line === '' ? '     *' : `     * ${line}`)).join('\n')
  return `    /**\n${comment}\n     */\n    ${id.split('.')[1]}: ${isSend(operation) ? 'SendMethod' : 'Method'}<'${id}'>`
}

export const GENERATED = fileURLToPath(new URL('./client/src/generated/', import.meta.url))
