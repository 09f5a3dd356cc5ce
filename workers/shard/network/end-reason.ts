/** Reasons for which a socket ends, as errors with the fields that `closedBy` (`connection/disconnect.ts`) reads. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { connectionEndIn } from '../wire/connection-end.ts'

/** Creates the error with which a socket ends. Its `output.statusCode` is the code of the reason. */
export function endReason(message: string, statusCode: number, data: unknown = {}): Error {
  return Object.assign(new Error(message), { output: { statusCode }, data })
}

/** Returns the reason if the network ends the connection with this stanza. */
export function endOf(node: BinaryNode): Error | undefined {
  const end = connectionEndIn(node)
  return end && endReason(end.message, end.statusCode, end.data)
}
