/**
 * A log with one line per outcome; a pino logger satisfies it. `fields` must not contain message content, tokens or
 * secrets.
 */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Debug lines, one per request, only help to find a cause. */
export interface DetailedLog extends Log {
  debug(fields: object, message: string): void
}

/** Settings of the log, which each thread gets when it is created. */
export interface Logging {
  /** Lowest level that is logged: `trace` to `fatal`, or `silent`. */
  level: string
  /** `pretty` is for a terminal; the default is `json`. */
  format?: LogFormat | undefined
  /** Written to instead of standard error, for tests. */
  file?: string | undefined
}

export type LogFormat = 'json' | 'pretty'
