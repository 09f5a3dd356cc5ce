/** Error that the control API returns to its caller. */
export class ControlError extends Error {
  readonly code: 'invalid_request' | 'not_found' | 'conflict'
  constructor(code: ControlError['code'], message: string) {
    super(message)
    this.code = code
  }
}
