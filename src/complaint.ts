/** What an operator reads of a command that failed: our sentence, and what led to it. */

/** A chain is as long as the layers an error came through; longer than this it goes in a circle. */
const MAX_CAUSES = 8

/**
 * The first line is the sentence. Then come the reasons, a line each, outermost first: without them a start that fails on, say, a full disk
 * says only that it failed.
 */
export function complaint(error: unknown): string {
  const reasons: string[] = []
  const heads = isOurs(error) ? [error.message] : [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  collect(error, reasons)
  const fresh = reasons.filter((reason, index) => !heads[0]!.includes(reason) && reasons.indexOf(reason) === index)
  return [...heads, ...fresh.map((reason) => `  because: ${reason}`)].join('\n').concat('\n')
}

/** Our own refusals are plain Errors with one sentence for the operator, and node's of a flag too; anything else is a defect and shows where it comes from. */
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
