import type { Network, Person } from '../model.ts'

/** Context of a GraphQL query. */
export interface MexRequest {
  network: Network
  person: Person
  variables: Record<string, unknown>
}

export interface Document {
  /** Of the operation in the web client, for people. */
  name: string
  /** Numbers that clients send for it: today's, and those of older builds. */
  ids: string[]
  /** Older clients ask for it by another document. */
  hasOlder?: true
  /** Field of `data` that has the answer. */
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
