/**
 * One structured line per outcome, always to standard error: standard output belongs to what a start prints (`--json`, the admin
 * key). Written synchronously, so that the line before a crash is there, in the main thread and in every worker alike.
 *
 * Ids, names and the words of errors come from strangers and have any length: here, for every line, they are cut. Of an error only what is
 * text or a number is told: the library hangs whole stanzas on its own, and a validation what it was given.
 */
import { createRequire } from 'node:module'
import { isatty } from 'node:tty'
import { type DestinationStream, destination, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino'
import type { Logging } from './domain/log.ts'

export type { Logger } from 'pino'

/** Names under which a secret, a token or message content could ride along, at the top or one level down. */
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

/** Kept for a file that cannot be written to, in bytes; what comes after that is lost. */
const MAX_KEPT = 1_048_576

/** Where standard error is a file on a disk that is full, a line that cannot be written must not end the service. */
function standardError(): DestinationStream {
  const to = destination({ dest: STANDARD_ERROR, sync: true, maxLength: MAX_KEPT })
  to.on('error', () => {})
  return to
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
export function createLog({ level, format }: Logging, part: string, to: DestinationStream = standardError()): Logger {
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
