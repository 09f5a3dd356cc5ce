/** The JSON-RPC 2.0 message that an agent posts to `/mcp`. Another thread parses large messages. */
import { Failure } from '../domain/failures.ts'
import {
  type PreparedCall,
  type ReadLargeMessage,
  type ReadMessage,
  RPC,
  type RpcMessage,
  type RpcProblem,
} from '../domain/tool-message.ts'
import { heldText } from './held-text.ts'
import { parseInput, type RawFields } from './input.ts'
import { MAX_VALUES, parseJson, replaceWithin, TooManyValues } from './json.ts'
import { isTool, toolCall } from './tools.ts'
import { checkNames, unknownFields } from './unknown-fields.ts'

const isObject = (value: unknown): value is RpcMessage => typeof value === 'object' && value !== null && !Array.isArray(value)
const problem = (code: RpcProblem['code'], message: string) => ({ problem: { code, message } })

const isId = (id: unknown) => id === undefined || typeof id === 'string' || Number.isInteger(id)
const isMessage = (value: unknown): value is RpcMessage =>
  isObject(value) &&
  value.jsonrpc === '2.0' &&
  isId(value.id) &&
  (typeof value.method === 'string' || 'result' in value || 'error' in value)

export const readMessage = (bytes: Uint8Array): ReadMessage => messageOf(() => parseJson(bytes))

function messageOf(read: () => unknown): ReadMessage {
  let value: unknown
  try {
    value = read()
  } catch (error) {
    if (error instanceof Failure) return problem(RPC.invalid, error.message)
    if (error instanceof TooManyValues) return problem(RPC.invalid, `The message has more than ${MAX_VALUES} values.`)
    return problem(RPC.parse, 'The body is not valid JSON in UTF-8.')
  }
  if (Array.isArray(value)) return problem(RPC.invalid, 'Batches are not accepted; send one message per request.')
  return isMessage(value) ? { message: value } : problem(RPC.invalid, 'The body is not a JSON-RPC 2.0 message.')
}

/** Reads a large message, which must be a call of a tool. `read` throws as `parseJson` does. */
export function readLargeMessage(read: () => unknown): ReadLargeMessage {
  const whole = messageOf(read)
  if ('problem' in whole) return whole
  const { message } = whole
  const { method, params } = message
  if (method !== 'tools/call' || !isObject(params) || typeof params.name !== 'string' || !isTool(params.name))
    return problem(RPC.invalid, 'The message is too large; only the arguments of a tool may have this size.')
  const given = params.arguments
  if (!isObject(given)) return problem(RPC.params, 'The arguments of a tool must be an object.')
  let unknown: string[] = []
  const call = prepared(params.name, given, (names) => {
    unknown = names
  })
  const rest = { ...message, params: { ...params, arguments: {} } }
  replaceWithin(rest, (value) => (heldText(value) ? '' : value))
  return { message: rest, call, unknown }
}

function prepared(name: string, given: RawFields, onUnknown: (names: string[]) => void): PreparedCall {
  let operation: string | null = null
  try {
    const call = toolCall(name, given)
    if ('answer' in call) throw Failure.invalid({ path: '', message: 'has arguments that are too large for this tool' })
    operation = call.operation.id
    checkNames(unknownFields(call.operation, call.fields), onUnknown)
    return { operation, input: parseInput(call.operation, call.fields) }
  } catch (error) {
    if (error instanceof Failure) return { operation, failure: error.toData() }
    throw error
  }
}
