/** Why a socket ends: errors with the fields that `closedBy` (`connection/disconnect.ts`) reads. */
import {
  type BinaryNode,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getErrorCodeFromStreamError,
} from '@whiskeysockets/baileys'

/** Creates the error with which a socket ends; `output.statusCode` is the reason. */
export function endReason(message: string, statusCode: number, data: unknown = {}): Error {
  return Object.assign(new Error(message), { output: { statusCode }, data })
}

/** The library's code `connectionClosed`. */
export const CONNECTION_CLOSED = 428
/** The library's code `multideviceMismatch`. */
const NOT_MULTI_DEVICE = 411
/** Code of a failure without a reason. */
const UNKNOWN = 500

/** Returns the reason if the network ends the connection with this stanza. */
export function endOf(node: BinaryNode): Error | undefined {
  switch (node.tag) {
    case 'failure':
      return endReason('Connection Failure', Number(node.attrs.reason || UNKNOWN), node.attrs)
    case 'stream:error': {
      const { reason, statusCode } = getErrorCodeFromStreamError(node)
      const [cause] = getAllBinaryNodeChildren(node)
      return endReason(`Stream Errored (${reason})`, statusCode, cause ?? node)
    }
    case 'xmlstreamend':
      return endReason('Connection Terminated by Server', CONNECTION_CLOSED)
    case 'ib':
      return getBinaryNodeChild(node, 'downgrade_webclient') && endReason('Multi-device beta not joined', NOT_MULTI_DEVICE)
    default:
      return undefined
  }
}
