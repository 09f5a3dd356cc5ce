/**
 * Requests of the control API to the network: one method per route of the sandbox contract. `control/` turns HTTP into these calls, `network/`
 * implements them. Arguments arrive validated and in the contract's own field names (snake_case, plain JSON data). Errors: throw a `ControlError`.
 */
export class ControlError extends Error {
  readonly code: 'invalid_request' | 'not_found' | 'conflict'
  constructor(code: ControlError['code'], message: string) {
    super(message)
    this.code = code
  }
}
