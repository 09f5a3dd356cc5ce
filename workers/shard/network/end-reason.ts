/** Reasons for which a socket ends, as errors. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { connectionEndIn } from '../wire/connection-end.ts'

/** Returns the error for a reason. Its `output.statusCode` is the code of the reason. */
export function endReason(message: string, statusCode: number, data: unknown = {}): Error {
  return Object.assign(new Error(message), { output: { statusCode }, data })
}

export function endOf(node: BinaryNode): Error | undefined {
  const end = connectionEndIn(node)
  return end && endReason(end.message, end.statusCode, end.data)
}
