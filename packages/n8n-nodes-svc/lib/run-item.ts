/** Calls the operation of the action node for one item. */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow'
import { NodeOperationError } from 'n8n-workflow'
import type { SendOptions } from '../../client/src/request.ts'
import { FORMS } from '../generated/form.ts'
import { type Connection, routeOf } from './connection.ts'
import { inputOf, jsonIn } from './form.ts'

interface Options {
  attempts?: number
  idempotencyKey?: string
  outputBinaryField?: string
  waitSeconds?: number
}

export async function runItem(node: IExecuteFunctions, svc: Connection, item: number): Promise<INodeExecutionData[]> {
  const isOther = node.getNodeParameter('resource', item) === 'other'
  const id = node.getNodeParameter(isOther ? 'otherOperation' : 'operation', item) as string
  const form = isOther ? undefined : FORMS[id]
  const options = node.getNodeParameter('callOptions', item, {}) as Options
  const input = form === undefined ? await fieldsOf(node, id, item) : await inputOf(node, form, item)
  const call = async (more: IDataObject = {}) => svc.call(id, { ...input, ...more }, await sendOptions(node, options, item))
  if (form?.pageSize !== undefined) return entries(await pagesOf(node, form.pageSize, item, call))
  return itemsOf(node, id, await call(), options.outputBinaryField || 'data')
}

/**
 * Returns the fields of an operation without a form, which are written as JSON. If the operation takes a file, its
 * bytes are added.
 */
async function fieldsOf(node: IExecuteFunctions, id: string, itemIndex: number): Promise<IDataObject> {
  const fields = jsonIn(node, 'Fields', node.getNodeParameter('fields', itemIndex), itemIndex)
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new NodeOperationError(node.getNode(), "The field 'Fields' must be a JSON object", { itemIndex })
  if (routeOf(id)?.body !== 'bytes') return fields as IDataObject
  const property = node.getNodeParameter('binaryPropertyName', itemIndex) as string
  return { ...fields, body: (await node.helpers.getBinaryDataBuffer(itemIndex, property)) as unknown as IDataObject }
}

async function sendOptions(node: IExecuteFunctions, options: Options, item: number): Promise<SendOptions> {
  return {
    ...(options.attempts === undefined ? {} : { attempts: options.attempts }),
    idempotencyKey: options.idempotencyKey || (await keyOf(node, item)),
    waitMs: (options.waitSeconds ?? 0) * 1_000,
    signal: node.getExecutionCancelSignal(),
  }
}

/**
 * Returns the idempotency key of an item. The key stays the same if n8n retries the node, and is different in each
 * round of a loop. Each n8n counts its executions from 1, and a copied workflow has the same node ids. So the key also
 * depends on the ids of the n8n and of the workflow.
 */
async function keyOf(node: IExecuteFunctions, item: number): Promise<string> {
  const run = node.evaluateExpression('{{ $runIndex }}', item)
  const place = JSON.stringify([node.getInstanceId(), node.getWorkflow().id, node.getNode().id])
  // The ids are hashed, because together they can be longer than an idempotency key may be.
  const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(place))).toString('hex')
  return `n8n ${node.getExecutionId()} ${run} ${item} ${hash}`
}

interface Page {
  data: IDataObject[]
  total: number
}

/** Reads the pages of a list until its end, or until there are as many entries as the limit in the form. */
async function pagesOf(
  node: IExecuteFunctions,
  pageSize: number,
  item: number,
  call: (page: IDataObject) => Promise<unknown>,
): Promise<IDataObject[]> {
  const isAll = node.getNodeParameter('returnAll', item) as boolean
  const limit = isAll ? Number.POSITIVE_INFINITY : (node.getNodeParameter('limit', item) as number)
  const size = Math.min(pageSize, limit)
  const found: IDataObject[] = []
  for (let page = 1; found.length < limit; page++) {
    const { data, total } = (await call({ page, page_size: size })) as Page
    found.push(...data)
    if (data.length < size || found.length >= total) break
  }
  return found.slice(0, limit)
}

const entries = (found: readonly IDataObject[]): INodeExecutionData[] => found.map((json) => ({ json }))

async function itemsOf(node: IExecuteFunctions, id: string, answer: unknown, field: string): Promise<INodeExecutionData[]> {
  if (answer instanceof Uint8Array) {
    const file = await node.helpers.prepareBinaryData(Buffer.from(answer))
    return [{ json: {}, binary: { [field]: file } }]
  }
  if (typeof answer === 'string') return [{ json: { text: answer } }]
  if (Array.isArray(answer)) return entries(answer)
  const { data, ...rest } = (answer ?? {}) as { data?: unknown }
  const isList = Array.isArray(data) && Object.keys(rest).length === 0
  return isList && id in FORMS ? entries(data) : [{ json: answer as IDataObject }]
}
