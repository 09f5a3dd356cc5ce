/**
 * Error that the control API answers to a request. `control/` turns each HTTP request into a call of the network, and
 * `network/` carries the call out and throws this error. The arguments of a call are already checked, and have the
 * field names of the API (snake_case, plain JSON data).
 */
export class ControlError extends Error {
  readonly code: 'invalid_request' | 'not_found' | 'conflict'
  constructor(code: ControlError['code'], message: string) {
    super(message)
    this.code = code
  }
}
