import type { FailureData } from './failures.ts'

export const RPC = { parse: -32700, invalid: -32600, method: -32601, params: -32602 } as const

export interface RpcProblem {
  code: (typeof RPC)[keyof typeof RPC]
  message: string
}

export type RpcMessage = Record<string, unknown>

export type ReadMessage = { problem: RpcProblem } | { message: RpcMessage }

export type PreparedCall = { operation: string; input: unknown } | { operation: string | null; failure: FailureData }

/**
 * Result of reading a large message. `message` has empty arguments, because `call` already contains them in prepared
 * form. `unknown` lists arguments that the operation does not have.
 */
export type ReadLargeMessage = { problem: RpcProblem } | { message: RpcMessage; call: PreparedCall; unknown: string[] }
