/** How an operation is called: the data that the table of operations has for each. */
export interface Route {
  readonly method: string
  /** Path with the names of its parameters in braces. For operations of an instance: what follows the token. */
  readonly path: string
  /** Names of the parameters in the query. */
  readonly query?: readonly string[]
  /** Names of the headers that are part of the input. */
  readonly headers?: readonly string[]
  /** `json`: all other fields of the input are the body. `bytes`: the field `body` of the input is the body. */
  readonly body?: 'json' | 'bytes'
  /** Form of the answer; JSON if it is absent. */
  readonly answer?: 'text' | 'bytes'
  /** Whether the operation queues a message, so that it takes an `Idempotency-Key` and can wait for the outcome. */
  readonly isSend?: true
}
