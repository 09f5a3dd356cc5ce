/** Extracts the few schemas of the OpenAPI description that the dashboard makes forms of; the whole description has two megabytes. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'

const FOLDER = new URL('../src/dashboard/generated/', import.meta.url)
const FILE = new URL('forms.json', FOLDER)

/** Operations whose request is shown as a form. */
const OPERATIONS = [
  'instance.updateSettings',
  'webhooks.update',
  'admin.createApiKey',
  'admin.updateSubscription',
  'admin.ipAllowlist',
  'admin.webhookLog',
]

/** Simplifies a field that is "one form or null" to that form, with null among its types. */
function flat(schema) {
  const properties = Object.entries(schema.properties).map(([name, { anyOf, ...rest }]) => {
    const [form, ...others] = anyOf?.filter(({ type }) => type !== 'null') ?? []
    if (form === undefined || others.length > 0) return [name, anyOf ? { anyOf, ...rest } : rest]
    return [name, { ...form, ...rest, type: [form.type, 'null'] }]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

function formOf(document, operationId) {
  const operation = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .find((each) => each.operationId === operationId)
  if (!operation) throw new Error(`No operation ${operationId} in the description.`)
  const schema = operation.requestBody?.content['application/json'].schema
  if (schema) return flat(schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema)
  const fields = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query')
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema, description }) => [name, { description, ...schema }])),
  }
}

/** @param document the description, parsed */
export function writeForms(document) {
  const forms = Object.fromEntries(OPERATIONS.map((id) => [id, formOf(document, id)]))
  const text = `${JSON.stringify(forms, null, 1)}\n`
  if (existsSync(FILE) && readFileSync(FILE, 'utf8') === text) return
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(FILE, text)
}
