/** One line per outcome, structured. pino fits it as it is. No message content, tokens or secrets in `fields`. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Adds the lines that are only useful for finding a cause: one per request. */
export interface DetailedLog extends Log {
  debug(fields: object, message: string): void
}

/** How every thread logs, handed to each when it is made. */
export interface Logging {
  /** `trace` to `fatal`, or `silent`. */
  level: string
  /** `pretty`: readable lines for a person at a terminal. Absent: `json`. */
  format?: LogFormat | undefined
  /** For tests: a file in place of standard error. */
  file?: string | undefined
}

export type LogFormat = 'json' | 'pretty'
