/**
 * Error for a device that cannot be imported. The message consists of sentences that say why. The class keeps the name
 * `Error`, because `complaint` shows errors with this name to the operator without their stack.
 */
export class NotImportable extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join(' '), options)
    this.problems = problems
  }
}
