import type { BinaryNode } from '../../wire/node.ts'
import type { Companion, Connection, Network } from '../model.ts'

export interface Query {
  network: Network
  connection: Connection
  /** The client that sent the query; absent while a device without an account shows its code. */
  companion: Companion
  item: BinaryNode
  /** First child of the query, which is its subject. */
  subject: BinaryNode
}

/** Returns the children of the result. */
export type Answer = (query: Query) => BinaryNode[] | undefined | Promise<BinaryNode[] | undefined>

export class QueryError extends Error {
  readonly code: number
  constructor(code: number, text: string) {
    super(text)
    this.code = code
  }
}

/** A refusal that is not known from WhatsApp Web: a trace marks it, because its form and its code are assumptions. */
export class UndescribedError extends QueryError {}
