/**
 * Extracts the parts of the OpenAPI description from which the dashboard makes its forms: a few schemas, and the kinds
 * of messages with their examples.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'

const FOLDER = new URL('../src/dashboard/generated/', import.meta.url)
const FORMS = new URL('forms.json', FOLDER)
const SENDS = new URL('sends.json', FOLDER)

const OPERATIONS = [
  'instance.updateSettings',
  'webhooks.update',
  'admin.createApiKey',
  'admin.updateSubscription',
  'admin.ipAllowlist',
  'admin.webhookLog',
]

/**
 * Simplifies the fields of a schema: a field that is either one type or null (`anyOf`) gets one schema, with null among
 * its types.
 */
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

/** Operations whose message is one file. For these, the page has a field onto which the file is dropped. */
const FILE_OPERATIONS = /^send\.send(Image|Video|Audio|Document|Sticker|Gif|Ptv)$/
const NUMBER = /^\d{8,}$/

/**
 * Returns an example without its phone numbers, because they may belong to somebody, and without its URLs.
 */
function harmless(value) {
  if (Array.isArray(value)) return value.map(harmless)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, harmless(each)]))
  return typeof value === 'string' ? (NUMBER.test(value) ? '' : value.replace(/https?:\/\/\S+/g, '').trim()) : value
}

function sendsOf(document) {
  return Object.entries(document.paths).flatMap(([path, { post }]) => {
    if (!post?.operationId.startsWith('send.')) return []
    const { schema, examples } = post.requestBody.content['application/json']
    const { properties } = schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema
    const file = FILE_OPERATIONS.exec(post.operationId)?.[1].toLowerCase() ?? null
    const { phone: _, ...example } = harmless(Object.values(examples)[0].value)
    return {
      operation: post.operationId,
      path: path.replace('/instances/{instance_id}/token/{token}', ''),
      summary: post.summary,
      takesPhone: 'phone' in properties,
      file,
      hasCaption: file !== null && 'caption' in properties,
      example,
    }
  })
}

function write(file, value) {
  const text = `${JSON.stringify(value, null, 1)}\n`
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(file, text)
}

/** @param document the parsed OpenAPI description */
export function writeForms(document) {
  write(FORMS, Object.fromEntries(OPERATIONS.map((id) => [id, formOf(document, id)])))
  write(SENDS, sendsOf(document))
}
