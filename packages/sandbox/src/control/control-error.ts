/**
 * Error that the control API returns to its caller. `control/` converts each HTTP request to a call of the network; `network/` carries the call out
 * and may throw this error. The arguments of a call are already validated, and have the field names of the API (snake_case, plain JSON data).
 */
export class ControlError extends Error {
  readonly code: 'invalid_request' | 'not_found' | 'conflict'
  constructor(code: ControlError['code'], message: string) {
    super(message)
    this.code = code
  }
}
