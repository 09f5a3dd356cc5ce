/**
 * The reason why a device cannot be imported, in whole sentences. The error has the `name` of a plain error, so that
 * the operator sees it without a stack (`complaint.ts`).
 */
export class NotImportable extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join(' '), options)
    this.problems = problems
  }
}
