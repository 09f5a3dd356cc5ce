/** Converts errors of the service to errors that n8n can show. */
import { type INode, type JsonObject, NodeApiError, NodeOperationError } from 'n8n-workflow'
import { SvcConnectionError, SvcError } from '../../client/src/errors.ts'

/**
 * Returns the error that n8n shows. It contains a sentence, the error code of the service, and the fields that are
 * wrong.
 */
export function nodeErrorOf(node: INode, error: unknown, itemIndex?: number): NodeApiError | NodeOperationError {
  const at = itemIndex === undefined ? {} : { itemIndex }
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error
  if (error instanceof SvcError) {
    const issues = (error.details?.issues ?? []).map(({ path, message }) => `${path} ${message}.`)
    return new NodeApiError(node, { code: error.code, message: error.message } as JsonObject, {
      ...at,
      message: sentenceOf(error),
      description: [`Error code ${error.code}.`, ...issues].join(' '),
      httpCode: String(error.status),
    })
  }
  if (error instanceof SvcConnectionError)
    return new NodeApiError(node, { message: error.message } as JsonObject, {
      ...at,
      message: `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}`,
      description:
        'It is unknown whether the service has carried out the operation. Check that it runs, and the address in the credential.',
      ...(error.status === undefined ? {} : { httpCode: String(error.status) }),
    })
  return new NodeOperationError(node, error as Error, at)
}

/** Returns the sentence of the service, without the code and the status that the client has added. */
const sentenceOf = ({ message, code, status }: SvcError) => message.replace(`${code} (HTTP ${status}): `, '')
