/** Builds the message for the operator when a command fails: the error, then its causes. */

const MAX_CAUSES = 8

/** Returns the message: the error, and then the causes that the error does not name, outermost first. */
export function complaint(error: unknown): string {
  const reasons: string[] = []
  const heads = isOurs(error) ? [error.message] : [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  collect(error, reasons)
  const fresh = reasons.filter((reason, index) => !heads[0]!.includes(reason) && reasons.indexOf(reason) === index)
  return [...heads, ...fresh.map((reason) => `  because: ${reason}`)].join('\n').concat('\n')
}

/**
 * True if an error is shown without its stack: this service or Node's parser for flags has refused something. Any other
 * error is a programming error and keeps its stack.
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
