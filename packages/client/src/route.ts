export interface Route {
  readonly method: string
  /** Path with the names of its parameters in braces. For operations of an instance, only the part after the token. */
  readonly path: string
  readonly query?: readonly string[]
  readonly headers?: readonly string[]
  /** `json`: all other fields of the input are the body. `bytes`: the field `body` of the input is the body. */
  readonly body?: 'json' | 'bytes'
  /** Format of the answer; JSON if it is absent. */
  readonly answer?: 'text' | 'bytes'
  /** True if the operation queues a message. It then accepts an `Idempotency-Key`, and can wait for the outcome. */
  readonly isSend?: true
}
