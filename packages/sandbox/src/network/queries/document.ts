import type { Network, Person } from '../model.ts'

/** The arguments for answering a GraphQL query. */
export interface MexRequest {
  network: Network
  person: Person
  variables: Record<string, unknown>
}

export interface Document {
  /** Name of the operation in the web client, for readers of the code only. */
  name: string
  /** Query ids that clients send for the operation: the current one first, and then those of older clients. */
  ids: string[]
  /** Set if older clients use another document for the operation. */
  hasOlder?: true
  /** Field of `data` that contains the answer. */
  path: string
  answer(request: MexRequest): unknown
}

export class MexError extends Error {
  readonly code: number
  constructor(code: number, text: string) {
    super(text)
    this.code = code
  }
}
