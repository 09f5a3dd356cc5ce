/** A JSON-RPC message to `/mcp` as threads exchange it; its size decides which thread parses it. Plain data. */
import type { FailureData } from './failures.ts'

/** Error codes of JSON-RPC 2.0, 5.1. */
export const RPC = { parse: -32700, invalid: -32600, method: -32601, params: -32602 } as const

export interface RpcProblem {
  code: (typeof RPC)[keyof typeof RPC]
  message: string
}

export type RpcMessage = Record<string, unknown>

export type ReadMessage = { problem: RpcProblem } | { message: RpcMessage }

/** Validated arguments of a tool, or the reason why they were refused. */
export type PreparedCall = { operation: string; input: unknown } | { operation: string | null; failure: FailureData }

/**
 * Result of parsing a large message. `message` does not include the arguments of the call. `unknown` lists the arguments that the operation does not
 * have.
 */
export type ReadLargeMessage = { problem: RpcProblem } | { message: RpcMessage; call: PreparedCall; unknown: string[] }
