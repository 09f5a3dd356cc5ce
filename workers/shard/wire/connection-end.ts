/**
 * Stanzas with which the network ends a connection.
 *
 *   <failure reason="401" …/>                                   the login is refused
 *   <stream:error code><conflict type="replaced"/></stream:error>
 *   <ib><downgrade_webclient/></ib>                             the account does not have multi-device
 *   <xmlstreamend/>
 */
import {
  type BinaryNode,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getErrorCodeFromStreamError,
} from '@whiskeysockets/baileys'

export const CONNECTION_CLOSED = 428
const NOT_MULTI_DEVICE = 411
const UNKNOWN = 500

export interface ConnectionEnd {
  message: string
  statusCode: number
  /**
   * The attributes of the `<failure>`, or the first child of the stream error. If the stream error has no child, it is
   * the stream error itself.
   */
  data?: unknown
}

export function connectionEndIn(node: BinaryNode): ConnectionEnd | undefined {
  switch (node.tag) {
    case 'failure':
      return { message: 'Connection Failure', statusCode: Number(node.attrs.reason || UNKNOWN), data: node.attrs }
    case 'stream:error': {
      const { reason, statusCode } = getErrorCodeFromStreamError(node)
      const [cause] = getAllBinaryNodeChildren(node)
      return { message: `Stream Errored (${reason})`, statusCode, data: cause ?? node }
    }
    case 'xmlstreamend':
      return { message: 'Connection Terminated by Server', statusCode: CONNECTION_CLOSED }
    case 'ib':
      return (
        getBinaryNodeChild(node, 'downgrade_webclient') && {
          message: 'Multi-device beta not joined',
          statusCode: NOT_MULTI_DEVICE,
        }
      )
    default:
      return undefined
  }
}
