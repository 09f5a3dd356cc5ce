/**
 * One structured line per outcome, always to standard error: standard output belongs to the output of a start (`--json`, the admin
 * key). Written synchronously, so that the line before a crash is there, in the main thread and in every worker alike.
 *
 * Ids, names and the texts of errors come from strangers and have any length: here, for every line, they are cut. Of an error only text
 * and numbers are logged: the library attaches whole stanzas to its errors, and a validation its input.
 */
import { createRequire } from 'node:module'
import { isatty } from 'node:tty'
import { type DestinationStream, destination, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino'
import type { Logging } from './domain/log.ts'

export type { Logger } from 'pino'

/** Names under which a secret, a token or message content could be logged, at the top or one level down. */
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

/** Honest ids have up to 128 characters. */
const MAX_FIELD = 256
/** Of a sentence, ours or an error's. */
const MAX_TEXT = 1_024
/** Causes included. */
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

/** Bytes kept for a file that cannot be written to; anything beyond is lost. */
const MAX_KEPT = 1_048_576

/** Where it is a file on a disk that is full, a line that cannot be written must not end the service. */
function output(to: string | number = STANDARD_ERROR): DestinationStream {
  const written = destination({ dest: to, sync: true, maxLength: MAX_KEPT })
  written.on('error', () => {})
  return written
}

function readable(to: DestinationStream): DestinationStream {
  // Loaded only where it is used: 50 ms and 2 MB in every thread.
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

/** `part` names the thread: `main`, `shard 0`, `media`. */
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
