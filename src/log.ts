/**
 * One structured line per outcome, always to standard error: standard output belongs to what a start prints (`--json`, the admin
 * key). Written synchronously, so that the line before a crash is there, in the main thread and in every worker alike.
 */
import { destination, type Logger, pino, stdTimeFunctions } from 'pino'

export type { Logger } from 'pino'

/** Names under which a secret, a token or message content could ride along, at the top or one level down. */
const HIDDEN = [
  'token',
  'secret',
  'password',
  'authorization',
  'adminKey',
  'secretKey',
  'proxy_url',
  'client-token',
  'qr',
  'body',
  'message.text',
].flatMap((name) => {
  const path = name.includes('-') ? `["${name}"]` : name
  return [path, name.includes('-') ? `*${path}` : `*.${path}`]
})

/** `part` names the thread: `main`, `shard 0`, `media`. */
export function createLog(level: string, part: string): Logger {
  return pino(
    { level, base: { part }, timestamp: stdTimeFunctions.isoTime, redact: { paths: HIDDEN, censor: '[hidden]' } },
    destination({ dest: 2, sync: true }),
  )
}
