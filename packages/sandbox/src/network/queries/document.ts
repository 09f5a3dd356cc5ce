import type { Network, Person } from '../model.ts'

export interface MexRequest {
  network: Network
  person: Person
  variables: Record<string, unknown>
}

export interface Document {
  name: string
  ids: string[]
  hasOlder?: true
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
