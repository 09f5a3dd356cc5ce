/** A structured log with one line per outcome; a pino logger satisfies it. `fields` must not contain message content, tokens or secrets. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A log that also takes debug lines, one per request, which only help to find a cause. */
export interface DetailedLog extends Log {
  debug(fields: object, message: string): void
}

/** Log settings, which each thread gets when it is created. */
export interface Logging {
  /** Lowest level that is logged: one of `trace` to `fatal`, or `silent` for none. */
  level: string
  /** `pretty` writes readable lines for a terminal; the default is `json`. */
  format?: LogFormat | undefined
  /** File to write to instead of standard error, for tests. */
  file?: string | undefined
}

export type LogFormat = 'json' | 'pretty'
