/**
 * libsignal prints sessions with their private keys, and stacks of ordinary decryption failures. So console output goes
 * to the logger: only texts and error messages, never objects, and no lines of libsignal.
 */
export interface ConsoleTarget {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

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

/** Returns a function that restores the console. */
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
