import type { Network, Person } from '../model.ts'

/** What a GraphQL document is asked with. */
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
