/** Reads the form of an operation that a person has filled in, and returns the input of this operation. */
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow'
import { NodeOperationError } from 'n8n-workflow'

/**
 * Describes the form fields of an operation, so that `inputOf` can convert them to the operation's input.
 * `generated/form.ts` contains these descriptions.
 */
export interface Form {
  /** Fields that are directly on the form. All others are in the collection of additional fields. */
  readonly first: readonly string[]
  /** Fields whose text contains several values. */
  readonly lists?: readonly string[]
  readonly json?: readonly string[]
  /** The field for a file, which may be given as a URL or as binary data of the item. */
  readonly file?: string
  /** Largest number of entries per request. Undefined if the operation does not return a list in pages. */
  readonly pageSize?: number
  readonly isSend?: true
}

/** Returns the operation's input for this item, from the form. Fields without a value are left out. */
export async function inputOf(node: IExecuteFunctions, form: Form, item: number): Promise<IDataObject> {
  const given: IDataObject = { ...(node.getNodeParameter('additionalFields', item, {}) as IDataObject) }
  for (const name of form.first) given[name] = node.getNodeParameter(name, item) as IDataObject[string]
  const input: IDataObject = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === '' || value === null || value === undefined) continue
    if (form.lists?.includes(name)) input[name] = valuesIn(value)
    else if (form.json?.includes(name)) input[name] = jsonIn(node, name, value, item)
    // An event contains the whole link to a file, and the operation needs only the last part of it.
    else input[name] = name === 'link' ? String(value).split('/').at(-1) : value
  }
  return form.file === undefined ? input : withFile(node, form.file, input, item)
}

/**
 * Returns the values of a field with several values. An n8n expression gives an array; a person writes one value per
 * line, or separates them by commas.
 */
function valuesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String)
  const text = String(value)
  const values = text.split(text.includes('\n') ? '\n' : ',').map((each) => each.trim())
  return values.filter((each) => each !== '')
}

/** Parses the JSON in a field. If an n8n expression has given an object, it is returned unchanged. */
export function jsonIn(node: IExecuteFunctions, name: string, value: unknown, itemIndex: number): IDataObject[string] {
  if (typeof value !== 'string') return value as IDataObject[string]
  try {
    return JSON.parse(value) as IDataObject[string]
  } catch (error) {
    throw new NodeOperationError(node.getNode(), `The field '${name}' is not valid JSON`, {
      description: (error as Error).message,
      itemIndex,
    })
  }
}

async function withFile(node: IExecuteFunctions, field: string, input: IDataObject, item: number): Promise<IDataObject> {
  if (node.getNodeParameter('source', item) === 'url')
    return named(field, { ...input, [field]: node.getNodeParameter(field, item) as string })
  const property = node.getNodeParameter('binaryPropertyName', item) as string
  const { mimeType, fileName, fileExtension } = node.helpers.assertBinaryData(item, property)
  const bytes = await node.helpers.getBinaryDataBuffer(item, property)
  const file = { [field]: `data:${mimeType};base64,${bytes.toString('base64')}` }
  return named(field, {
    ...(field === 'document' ? { file_name: fileName, extension: fileExtension } : {}),
    ...input,
    ...file,
  })
}

/**
 * Takes the field `extension` of a document from its file name if the input has none, because the path of the operation
 * contains it.
 */
function named(field: string, input: IDataObject): IDataObject {
  if (field !== 'document' || input.extension) return input
  const extension = /\.([A-Za-z0-9]{1,16})$/.exec(String(input.file_name ?? ''))?.[1]
  return extension === undefined ? input : { ...input, extension }
}
