/** Builds the message that an operator gets when a command fails: the error, then its causes. */

/** Maximum number of causes in a message. An error has one cause per layer of the code; a longer chain is circular. */
const MAX_CAUSES = 8

/**
 * Describes an error for the operator. The first line is the sentence; the causes follow, one per line, outermost
 * first. Without the causes, a start that fails on a full disk would only report that it failed.
 */
export function complaint(error: unknown): string {
  const reasons: string[] = []
  const heads = isOurs(error) ? [error.message] : [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  collect(error, reasons)
  const fresh = reasons.filter((reason, index) => !heads[0]!.includes(reason) && reasons.indexOf(reason) === index)
  return [...heads, ...fresh.map((reason) => `  because: ${reason}`)].join('\n').concat('\n')
}

/**
 * Whether an error needs no stack. Refusals by this service and Node's errors about flags are plain Errors with one sentence for the operator. Any
 * other error is a programming error and keeps its stack.
 */
const isOurs = (error: unknown): error is Error =>
  error instanceof Error &&
  (error.name === 'Error' ||
    error.name === 'Failure' ||
    error.name === 'UsageError' ||
    ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')))

function collect(error: unknown, reasons: string[]): void {
  if (!(error instanceof Error)) return
  const parts: unknown[] = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause]
  for (const part of parts) {
    if (part === undefined || reasons.length >= MAX_CAUSES) continue
    reasons.push(part instanceof Error ? part.message || part.name : String(part))
    collect(part, reasons)
  }
}
