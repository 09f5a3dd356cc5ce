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

/** WhatsApp Web is not known to receive this refusal, so a trace marks it as an assumption. */
export class UndescribedError extends QueryError {}
