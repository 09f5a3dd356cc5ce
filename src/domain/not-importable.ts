/**
 * A device cannot be imported. The message consists of sentences that say why. The operator sees an error with the name
 * `Error` without its stack.
 */
export class NotImportable extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join(' '), options)
    this.problems = problems
  }
}
