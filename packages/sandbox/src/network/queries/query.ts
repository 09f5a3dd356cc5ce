import type { BinaryNode } from '../../wire/node.ts'
import type { Companion, Connection, Network } from '../model.ts'

export interface Query {
  network: Network
  connection: Connection
  companion: Companion
  item: BinaryNode
  subject: BinaryNode
}

export type Answer = (query: Query) => BinaryNode[] | undefined | Promise<BinaryNode[] | undefined>

export class QueryError extends Error {
  readonly code: number
  constructor(code: number, text: string) {
    super(text)
    this.code = code
  }
}

/** An error that WhatsApp Web is not known to receive. So a trace marks such an answer as an assumption. */
export class UndescribedError extends QueryError {}
