/**
 * The logger for Baileys. Baileys logs private data, such as phone numbers, so only the sentence, the error's message
 * and a few harmless fields are passed to our log.
 */
import type { UserFacingSocketConfig } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'

type LibraryLogger = NonNullable<UserFacingSocketConfig['logger']>

const HARMLESS = ['code', 'opName', 'type', 'count', 'syncType'] as const

function digest(data: unknown): Record<string, unknown> {
  if (typeof data !== 'object' || data === null) return {}
  const fields = data as Record<string, unknown>
  const error = fields.err ?? fields.error ?? fields.trace
  const kept = HARMLESS.filter((name) => ['string', 'number', 'boolean'].includes(typeof fields[name]))
  return {
    ...Object.fromEntries(kept.map((name) => [name, fields[name]])),
    ...(error instanceof Error ? { reason: error.message } : {}),
  }
}

const sentence = (data: unknown, message: string | undefined) => message ?? (typeof data === 'string' ? data : 'library')

/**
 * Returns a logger for Baileys. Baileys handles most problems that it logs as `warn` and `error`, so they are logged as
 * `debug` and `info`.
 */
export function libraryLogger(log: Logger): LibraryLogger {
  const logger: LibraryLogger = {
    level: 'warn',
    child: () => logger,
    trace() {},
    debug() {},
    info() {},
    warn: (data: unknown, message?: string) => log.debug(digest(data), sentence(data, message)),
    error: (data: unknown, message?: string) => log.info(digest(data), sentence(data, message)),
  }
  return logger
}
