/**
 * The reason why a device cannot be imported, in whole sentences. The `name` of this error is `Error`, and `complaint.ts` shows such an error to the
 * operator without a stack.
 */
export class NotImportable extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join(' '), options)
    this.problems = problems
  }
}
