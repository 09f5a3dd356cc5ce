/**
 * Writes structured lines. They are written synchronously, so that the last line before a crash is not lost.
 *
 * Other people choose ids, names and texts of errors, so these are truncated. An error is logged with its type,
 * message, stack and simple fields, because Baileys attaches whole stanzas to its errors.
 */
import { createRequire } from 'node:module'
import { isatty } from 'node:tty'
import { type DestinationStream, destination, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino'
import type { Logging } from './domain/log.ts'

export type { Logger } from 'pino'

/**
 * Names of fields that could hold a secret, a token or message content. They are hidden at the top level and one level
 * below.
 */
const HIDDEN = [
  'token',
  'secret',
  'password',
  'authorization',
  'adminKey',
  'secretKey',
  'linksKey',
  'proxy_url',
  'client-token',
  'qr',
  'body',
  'message.text',
].flatMap((name) => {
  const path = name.includes('-') ? `["${name}"]` : name
  return [path, name.includes('-') ? `*${path}` : `*.${path}`]
})

/** Maximum length of a field in characters. No valid id is longer. */
const MAX_FIELD = 256
/** Maximum length in characters of a sentence of the service or of an error. */
const MAX_TEXT = 1_024
/** Maximum length of a stack in characters, including causes. */
const MAX_STACK = 8_192

const cut = (value: unknown, max: number) => (typeof value === 'string' && value.length > max ? `${value.slice(0, max)}…` : value)

const cutFields = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cut(value, MAX_FIELD)]))

function described(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' && error !== null ? '[object]' : cut(error, MAX_TEXT)
  const { type, message, stack, ...rest } = stdSerializers.err(error)
  const plain = Object.entries(rest).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return {
    type,
    message: cut(message, MAX_TEXT),
    stack: cut(stack, MAX_STACK),
    ...cutFields(Object.fromEntries(plain)),
    ...(error instanceof AggregateError ? { errors: error.errors.map(described) } : {}),
  }
}

const STANDARD_ERROR = 2

/** Maximum number of bytes that are buffered while the output cannot be written. Further lines are lost. */
const MAX_KEPT = 1_048_576

/**
 * Creates the output of the log. A line that cannot be written, for example on a full disk, must not end the service.
 */
function output(to: string | number = STANDARD_ERROR): DestinationStream {
  const written = destination({ dest: to, sync: true, maxLength: MAX_KEPT })
  written.on('error', () => {})
  return written
}

function readable(to: DestinationStream): DestinationStream {
  // `pino-pretty` is loaded only if it is used, because it costs 50 ms and 2 MB in every thread.
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')
  const format = pretty.prettyFactory({
    colorize: pretty.isColorSupported && isatty(STANDARD_ERROR),
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: '{part}: {msg}',
    ignore: 'part',
    singleLine: true,
  })
  return { write: (line) => void to.write(format(line) ?? line) }
}

/** Creates a log. `part` is the name of the thread, such as `main` or `shard 0`. */
export function createLog({ level, format, file }: Logging, part: string, to: DestinationStream = output(file)): Logger {
  return pino(
    {
      level,
      base: { part },
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: HIDDEN, censor: '[hidden]' },
      formatters: { log: cutFields },
      serializers: { err: described },
      hooks: {
        logMethod(args, method) {
          method.apply(this, args.map((each: unknown) => cut(each, MAX_TEXT)) as typeof args)
        },
      },
    },
    format === 'pretty' ? readable(to) : to,
  )
}
