/**
 * libsignal prints session entries with their private keys ("Closing session: SessionEntry {..}", src/session_record.js), and dumps stacks of
 * ordinary decryption failures (src/session_cipher.js). In a thread that loads it, console output goes to the logger: only texts and error messages,
 * never objects, and no lines of libsignal.
 */
export interface ConsoleTarget {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

/** First words of all lines that libsignal prints. */
const LIBSIGNAL_LINES = [
  'Closing session:',
  'Opening session:',
  'Removing old closed session:',
  'Session already closed',
  'Session already open',
  'Closing open session in favor of incoming prekey bundle',
  'Migrating session to:',
  'V1 session storage migration error:',
  'Failed to decrypt message with any known session',
  'Session error:',
  'Decrypted message with closed session.',
  'WARNING: Expected pubkey of length 33',
  'Unhandled bucket type',
]

const LEVELS = {
  log: 'info',
  info: 'info',
  dir: 'debug',
  debug: 'debug',
  trace: 'debug',
  warn: 'warn',
  error: 'error',
} as const satisfies Partial<Record<keyof Console, keyof ConsoleTarget>>

/** Redirects the console. Returns a function that restores it. */
export function redirectConsole(target: ConsoleTarget): () => void {
  const names = Object.keys(LEVELS) as (keyof typeof LEVELS)[]
  const { console: current } = globalThis
  const before = Object.fromEntries(names.map((name) => [name, current[name]]))
  const redirected = Object.fromEntries(
    names.map((name) => [
      name,
      (...args: unknown[]) => {
        const line = lineOf(args)
        if (!LIBSIGNAL_LINES.some((words) => line.startsWith(words))) target[LEVELS[name]](line)
      },
    ]),
  )
  Object.assign(current, redirected)
  return () => {
    Object.assign(current, before)
  }
}

const lineOf = (args: unknown[]) => args.map(text).join(' ')

function text(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Error) return `${value.name}: ${value.message}`
  return typeof value === 'object' || typeof value === 'function' ? `[${typeof value}]` : String(value)
}
