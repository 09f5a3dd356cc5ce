/**
 * `npm run client`: generates the form of the action node of `n8n-nodes-svc`, from the OpenAPI description and the list
 * of forms (`n8n-forms.ts`). A test checks that the file is up to date (`test/e2e/n8n-package.test.ts`).
 */
import { fileURLToPath } from 'node:url'
import {
  bodyOf,
  type DescribedOperation,
  type Description,
  descriptionOf,
  type Endpoints,
  type FieldSchema,
  isSend,
  operationsOf,
  ownParameters,
} from './described-operations.ts'
import { FORMS, type FormOperation } from './n8n-forms.ts'
import { labelOf, sentencesOf, whether } from './n8n-words.ts'

export const N8N_GENERATED = fileURLToPath(new URL('./n8n-nodes-svc/generated/form.ts', import.meta.url))

type Json = Record<string, unknown>
interface Field {
  name: string
  schema: FieldSchema
  isRequired: boolean
}

/** Fields that select a page of a list. In the form, *Return All* and *Limit* replace them. */
const PAGES: ReadonlySet<string> = new Set(['page', 'page_size'])

export function n8nSource(endpoints: Endpoints): string {
  const description = descriptionOf(endpoints)
  const described = new Map(operationsOf(description).map((each) => [each.operation.operationId, each]))
  const inForms = new Set(FORMS.flatMap(({ operations }) => operations.map(({ id }) => id)))
  const formOf = (operation: FormOperation) => {
    const found = described.get(operation.id)
    if (found === undefined) throw new Error(`the description has no operation ${operation.id}`)
    return { operation, fields: fieldsOf(description, found), isSend: isSend(found.operation) }
  }
  const forms: OfForm[] = FORMS.flatMap(({ value, operations }) =>
    operations.map((each) => ({ resource: value, ...formOf(each) })),
  )
  const others = [...described.values()].filter(({ operation }) => !inForms.has(operation.operationId))
  return [
    '/** Written by `npm run client` from the OpenAPI description and `n8n-forms.ts`. */',
    "import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow'",
    "import type { Form } from '../lib/form.ts'",
    '',
    '/** How the fields of each form become the input of its operation. */',
    'export const FORMS: Readonly<Record<string, Form>> = {',
    ...forms.map((each) => `  '${each.operation.id}': ${JSON.stringify(kindsOf(each))},`),
    '}',
    '',
    `export const properties: INodeProperties[] = ${literal([
      ...FORMS.map(operationsProperty),
      ...forms.flatMap(formProperties),
      othersProperty(description, others),
    ])}`,
    '',
    '/** Contents of received messages, for the filters of the triggers. */',
    `export const messageTypes: INodePropertyOptions[] = ${literal(messageTypesOf(description))}`,
    '',
  ].join('\n')
}

interface OfForm {
  resource: string
  operation: FormOperation
  fields: Field[]
  isSend: boolean
}

function fieldsOf(description: Description, { path, operation }: DescribedOperation): Field[] {
  const parameters = ownParameters(path, operation).map(({ name, schema, required, description }) => ({
    name,
    schema: { ...schema, ...(description === undefined ? {} : { description }) },
    // The field is not required in the form if its description says when it may be left out. The action node then reads
    // the value for the path from another field.
    isRequired: required === true && !description?.includes('optional if'),
  }))
  const body = bodyOf(description, operation)
  const inBody = Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
    name,
    schema,
    isRequired: body?.required?.includes(name) === true,
  }))
  return [...parameters, ...inBody].filter(({ schema }) => !schema.description?.startsWith('No effect'))
}

const isList = ({ type, items }: FieldSchema) => type === 'array' && items?.type === 'string'
const isJson = ({ type }: FieldSchema) => type === 'array' || type === 'object'
const hasPages = (fields: readonly Field[]) => fields.some(({ name }) => name === 'page_size')

function kindsOf({ operation, fields, isSend }: OfForm): Json {
  const own = fields.filter(({ name }) => !PAGES.has(name))
  const named = (fits: (field: Field) => boolean) => own.filter(fits).map(({ name }) => name)
  const isFirst = (field: Field) => field.isRequired || field.name === operation.file
  return {
    first: named((field) => isFirst(field) && field.name !== operation.file),
    ...some(
      'lists',
      named(({ schema }) => isList(schema)),
    ),
    ...some(
      'json',
      named(({ schema }) => isJson(schema) && !isList(schema)),
    ),
    ...(operation.file === undefined ? {} : { file: operation.file }),
    ...(hasPages(fields) ? { pageSize: fields.find(({ name }) => name === 'page_size')?.schema.maximum } : {}),
    ...(isSend ? { isSend } : {}),
  }
}

const some = (name: string, values: readonly string[]) => (values.length > 0 ? { [name]: values } : {})

function operationsProperty({ value, operations }: (typeof FORMS)[number]): Json {
  const options = operations.map(({ id, name, action }) => ({ name, value: id, action, description: action }))
  return {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: [value] } },
    options: options.map(({ description, ...option }) => (description === option.name ? option : { ...option, description })),
    default: value === 'message' ? 'send.sendText' : options[0]?.value,
  }
}

function formProperties({ resource, operation, fields }: OfForm): Json[] {
  const shown = { displayOptions: { show: { resource: [resource], operation: [operation.id] } } }
  const own = fields.filter(({ name }) => !PAGES.has(name) && name !== operation.file)
  const more = own.filter(({ isRequired }) => !isRequired).map((field) => propertyOf(operation.id, field))
  return [
    ...own
      .filter(({ isRequired }) => isRequired)
      .map((field) => ({ ...propertyOf(operation.id, field), required: true, ...shown })),
    ...(operation.file === undefined ? [] : fileProperties(operation.file, resource, operation.id)),
    ...(hasPages(fields) ? pageProperties(shown) : []),
    ...(more.length === 0
      ? []
      : [
          {
            displayName: 'Additional Fields',
            name: 'additionalFields',
            type: 'collection',
            placeholder: 'Add Field',
            default: {},
            ...shown,
            options: more.sort((a, b) => String(a.displayName).localeCompare(String(b.displayName), 'en')),
          },
        ]),
  ]
}

function fileProperties(file: string, resource: string, operation: string): Json[] {
  const show = { resource: [resource], operation: [operation] }
  return [
    {
      displayName: 'Source',
      name: 'source',
      type: 'options',
      options: [
        { name: 'Binary Data', value: 'binary' },
        { name: 'URL', value: 'url' },
      ],
      default: 'url',
      description: 'Where the file comes from',
      displayOptions: { show },
    },
    {
      displayName: 'URL',
      name: file,
      type: 'string',
      required: true,
      default: '',
      placeholder: 'e.g. https://example.com/file',
      description: 'URL from which the service downloads the file, or the file itself as a data URL',
      displayOptions: { show: { ...show, source: ['url'] } },
    },
    {
      displayName: 'Input Binary Field',
      name: 'binaryPropertyName',
      type: 'string',
      required: true,
      default: 'data',
      hint: 'The name of the input field containing the file',
      displayOptions: { show: { ...show, source: ['binary'] } },
    },
  ]
}

function pageProperties(shown: { displayOptions: { show: Json } }): Json[] {
  return [
    {
      displayName: 'Return All',
      name: 'returnAll',
      type: 'boolean',
      default: false,
      description: 'Whether to return all results or only up to a given limit',
      ...shown,
    },
    {
      displayName: 'Limit',
      name: 'limit',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: 50,
      description: 'Max number of results to return',
      displayOptions: { show: { ...shown.displayOptions.show, returnAll: [false] } },
    },
  ]
}

function propertyOf(operation: string, { name, schema }: Field): Json {
  const description = sentencesOf(schema.description ?? '')
  const about = { displayName: labelOf(name), name }
  if (isList(schema))
    return {
      ...about,
      type: 'string',
      typeOptions: { rows: 3 },
      default: '',
      description: sentencesOf(`${schema.description ?? ''} Write one per line, or separate them by commas.`),
    }
  if (isJson(schema)) return { ...about, type: 'json', default: schema.type === 'array' ? '[]' : '{}', description }
  if (schema.type === 'boolean')
    return {
      ...about,
      type: 'boolean',
      default: schema.default ?? false,
      description: whether(`${operation}.${name}`, schema.description ?? ''),
    }
  if (schema.enum)
    return {
      ...about,
      type: 'options',
      options: schema.enum.map((value) => ({ name: labelOf(value), value })).sort((a, b) => a.name.localeCompare(b.name, 'en')),
      default: schema.default ?? schema.enum[0],
      description,
    }
  if (schema.type === 'integer' || schema.type === 'number')
    return {
      ...about,
      type: 'number',
      ...bounds(schema),
      default: schema.default ?? 0,
      description,
    }
  if (schema.format === 'date-time') return { ...about, type: 'dateTime', default: '', description }
  const isLong = ['message', 'caption'].includes(name)
  return { ...about, type: 'string', ...(isLong ? { typeOptions: { rows: 3 } } : {}), default: '', description }
}

function bounds({ type, minimum, maximum }: FieldSchema): Json {
  const typeOptions = {
    ...(minimum === undefined ? {} : { minValue: minimum }),
    ...(maximum === undefined ? {} : { maxValue: maximum }),
    ...(type === 'number' ? { numberPrecision: 7 } : {}),
  }
  return Object.keys(typeOptions).length > 0 ? { typeOptions } : {}
}

function othersProperty(description: Description, others: readonly DescribedOperation[]): Json {
  const options = others.map((each) => {
    const { operationId, summary } = each.operation
    const fields = fieldsOf(description, each).map(({ name, isRequired }) => (isRequired ? name : `${name}?`))
    const [group = '', method = ''] = operationId.split('.')
    return {
      name: `${labelOf(group)}: ${labelOf(method)}`,
      value: operationId,
      description: fields.length > 0 ? sentencesOf(`${summary}. Fields: \`${fields.join(', ')}\`.`) : sentencesOf(summary),
    }
  })
  return {
    displayName: 'Operation',
    name: 'otherOperation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['other'] } },
    options: options.sort((a, b) => a.name.localeCompare(b.name, 'en')),
    default: others.map(({ operation }) => operation.operationId).sort()[0],
    description: 'The operation; a question mark follows the fields that may be omitted',
  }
}

function messageTypesOf({ components }: Description): Json[] {
  const types = components.schemas.ReceivedEvent?.properties?.message_type?.enum ?? []
  return types.map((value) => ({ name: labelOf(value), value })).sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:')
}
