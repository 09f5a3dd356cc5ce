/**
 * Error of a request of the control API to the network. `control/` turns HTTP into calls, one per route; `network/`
 * implements them and throws this error. Arguments arrive validated and in the API's own field names (snake_case, plain
 * JSON data).
 */
export class ControlError extends Error {
  readonly code: 'invalid_request' | 'not_found' | 'conflict'
  constructor(code: ControlError['code'], message: string) {
    super(message)
    this.code = code
  }
}
