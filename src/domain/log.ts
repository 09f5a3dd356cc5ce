/**
 * A log with one line per outcome; a pino logger satisfies it. `fields` must not contain message content, tokens or
 * secrets.
 */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface DetailedLog extends Log {
  debug(fields: object, message: string): void
}

export interface Logging {
  /** Lowest level that is logged: `trace` to `fatal`, or `silent`. */
  level: string
  /** `pretty` is for a terminal; the default is `json`. */
  format?: LogFormat | undefined
  file?: string | undefined
}

export type LogFormat = 'json' | 'pretty'
