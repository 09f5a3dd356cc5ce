/** One line per outcome, structured. pino fits it as it is. No message content, tokens or secrets in `fields`. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
