import type { BinaryNode } from '../../wire/node.ts'
import type { Companion, Connection, Network } from '../model.ts'

export interface Query {
  network: Network
  connection: Connection
  /** The client that sent the query. It is absent while a device without an account shows its code. */
  companion: Companion
  item: BinaryNode
  /** First child of the query. It says what is queried. */
  subject: BinaryNode
}

/** Answers a query with the children of the result. */
export type Answer = (query: Query) => BinaryNode[] | undefined | Promise<BinaryNode[] | undefined>

export class QueryError extends Error {
  readonly code: number
  constructor(code: number, text: string) {
    super(text)
    this.code = code
  }
}

/** A refusal that WhatsApp Web is not known to receive. A trace marks it, because its structure and its code are assumptions. */
export class UndescribedError extends QueryError {}
