/**
 * libsignal prints whole session entries, including private keys, whenever a peer starts a new session, and a stack for every session that it tried
 * in vain. This wraps the console of the thread that loaded it and drops exactly those lines; everything else is printed.
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

/** Wraps the console of the thread; a second call does nothing. */
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

/** Whether any argument has a session entry, with any text around it. */
function carriesRatchet(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('currentRatchet' in value || '_chains' in value)
}
