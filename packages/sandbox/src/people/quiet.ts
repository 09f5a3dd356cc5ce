/**
 * Beginnings of lines that libsignal prints. These lines are dropped from the console of the thread, because some of
 * them contain complete sessions with private keys, or a stack trace for each failed decryption.
 */
const SPOKEN_BY_LIBSIGNAL = [
  'Closing session:',
  'Opening session:',
  'Session already closed',
  'Session already open',
  'Removing old closed session:',
  'Closing open session in favor of incoming prekey bundle',
  'Failed to decrypt message with any known session...',
  'Session error:',
  'Decrypted message with closed session.',
  'Migrating session to:',
  'V1 session storage migration error:',
  'WARNING: Expected pubkey of length 33',
  'Unhandled bucket type (for naming):',
]

type Method = 'log' | 'info' | 'warn' | 'error' | 'debug'
const METHODS: Method[] = ['log', 'info', 'warn', 'error', 'debug']

let silenced = false

export function silenceLibsignal(): void {
  if (silenced) return
  silenced = true
  const thread: Record<Method, (...data: unknown[]) => void> = globalThis.console
  for (const method of METHODS) {
    const sendAs = thread[method].bind(thread)
    thread[method] = (...data) => {
      if (!isLibsignal(data)) sendAs(...data)
    }
  }
}

function isLibsignal(data: unknown[]): boolean {
  const [first] = data
  if (typeof first === 'string' && SPOKEN_BY_LIBSIGNAL.some((start) => first.startsWith(start))) return true
  return data.some(carriesRatchet)
}

/** Whether a printed value is a session of libsignal, which contains private keys. */
function carriesRatchet(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('currentRatchet' in value || '_chains' in value)
}
