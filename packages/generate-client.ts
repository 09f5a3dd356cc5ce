/**
 * `npm run client`: generates two files of the TypeScript client from the OpenAPI description. A test checks that they
 * are up to date (`test/e2e/client.test.ts`).
 *
 * - `schema.ts`: the types, made by `openapi-typescript` (`npm ci --prefix test/clients` installs it).
 * - `operations.ts`: a table with the route of each operation, and its method with documentation.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  bodyOf,
  type DescribedOperation,
  type Description,
  descriptionOf,
  type Endpoints,
  isOfInstance,
  isSend,
  OF_INSTANCE,
  operationsOf,
  ownParameters,
  type Parameter,
} from './described-operations.ts'

/** Returns the contents of both files. `tools`: the folder in which `openapi-typescript` is installed. */
export function clientSources(endpoints: Endpoints, tools: string): { schema: string; operations: string } {
  const description = descriptionOf(endpoints)
  const operations = operationsSource(description)
  return { schema: schemaSource(reduced(description), tools), operations }
}

/**
 * Removes the parts of the description that the types of the client do not need: refusals, headers, examples, and
 * parameters that the client sets itself.
 */
function reduced(description: Description): unknown {
  const copy = structuredClone(description)
  for (const [path, methods] of Object.entries(copy.paths)) {
    for (const operation of Object.values(methods)) {
      if (operation.operationId === undefined) continue
      if (operation.parameters) operation.parameters = ownParameters(path, operation)
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
    // The types by path are removed, because the types by operation contain the same.
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

type Listed = readonly DescribedOperation[]

function tableOf(name: string, description: Description, operations: Listed): string {
  const rows = operations.map((each) => `  '${each.operation.operationId}': ${JSON.stringify(routeOf(description, each))},`)
  return `export const ${name}: Readonly<Record<string, Route>> = {\n${rows.join('\n')}\n}\n`
}

function routeOf(description: Description, { path, method, operation }: DescribedOperation) {
  const parameters = ownParameters(path, operation)
  const named = (place: Parameter['in']) => parameters.filter(({ in: at }) => at === place).map(({ name }) => name)
  const [query, headers] = [named('query'), named('header')]
  const [type] = Object.keys(operation.requestBody?.content ?? {})
  const answer = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))
  const [answered = 'application/json'] = Object.keys(answer?.[1].content ?? {})
  assertDistinct(operation.operationId, [
    ...named('path'),
    ...query,
    ...headers,
    ...Object.keys(bodyOf(description, operation)?.properties ?? {}),
  ])
  return {
    method,
    path: isOfInstance(path) ? path.slice(OF_INSTANCE.length) : path,
    ...(query.length > 0 ? { query } : {}),
    ...(headers.length > 0 ? { headers } : {}),
    ...(type === undefined ? {} : { body: type === 'application/json' ? 'json' : 'bytes' }),
    ...(answered === 'application/json' ? {} : { answer: answered.startsWith('text/') ? 'text' : 'bytes' }),
    ...(isSend(operation) ? { isSend: true } : {}),
  }
}

/**
 * Throws if two fields of an operation have the same name, because the client gets path, query, headers and body in
 * one object.
 */
function assertDistinct(id: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`${id} has two fields with the name ${twice}`)
}

function groupsOf(name: string, operations: Listed): string {
  const groupOf = ({ operation }: DescribedOperation) => operation.operationId.split('.')[0]
  const members = [...new Set(operations.map(groupOf))].map((group) => {
    const methods = operations.filter((each) => groupOf(each) === group).map(methodOf)
    return `  ${group}: {\n${methods.join('\n')}\n  }`
  })
  return `export interface ${name} {\n${members.join('\n')}\n}\n`
}

function methodOf({ operation }: DescribedOperation): string {
  const { operationId: id, summary, description } = operation
  const text = [summary, ...(description ? ['', ...description.split('\n')] : [])].map((line) => line.replaceAll('*/', '*\\/'))
  const comment = text.map((line) => (line === '' ? '     *' : `     * ${line}`)).join('\n')
  return `    /**\n${comment}\n     */\n    ${id.split('.')[1]}: ${isSend(operation) ? 'SendMethod' : 'Method'}<'${id}'>`
}

export const GENERATED = fileURLToPath(new URL('./client/src/generated/', import.meta.url))
