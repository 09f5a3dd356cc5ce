/**
 * The message consists of sentences that say why a device cannot be imported. The operator sees an error with the name
 * `Error` without its stack.
 */
export class NotImportable extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join(' '), options)
    this.problems = problems
  }
}
