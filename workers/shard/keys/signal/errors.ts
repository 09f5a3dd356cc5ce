/**
 * The WebAssembly module throws strings. They are converted to errors that name the problem, with the texts of the
 * JavaScript implementation of Signal.
 */
import { escalateTrap } from '../../baileys/thread/trap.ts'

export type SignalProblem = 'duplicate' | 'no_session' | 'no_sender_key' | 'no_pre_key' | 'not_the_phone' | 'unreadable'

/** An error that counts as caused by the ciphertext, the session or the address. */
export class SignalError extends Error {
  readonly problem: SignalProblem

  constructor(problem: SignalProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'SignalError'
    this.problem = problem
  }
}

/** Text of the error for calls after the socket has ended. The network then delivers the received message again. */
export const SESSION_CLOSED = 'session closed'

const RULES: readonly [pattern: RegExp, problem: SignalProblem, message: string][] = [
  [
    /untrusted ?identity/i,
    'not_the_phone',
    "The device is not the account's phone, because its identity key is not the one that signed the pairing",
  ],
  [/DuplicatedMessage|message with old counter/, 'duplicate', 'Key used already or never filled'],
  [/SessionNotFound|InvalidSessionStructure/, 'no_session', 'No session record'],
  [/InvalidPreKeyId|InvalidSignedPreKeyId/, 'no_pre_key', 'Invalid PreKey ID'],
  [/no sender key/, 'no_sender_key', 'No SenderKeyRecord found for decryption'],
  [/InvalidMessage|Invalid \w+ format/, 'unreadable', 'No matching sessions found for message'],
]

export function signalError(thrown: unknown, use: 'encrypt' | 'decrypt'): Error {
  escalateTrap(thrown)
  if (thrown instanceof Error) return thrown
  const text = String(thrown)
  const rule = RULES.find(([pattern]) => pattern.test(text))
  if (!rule) return new SignalError('unreadable', text)
  const [, problem, message] = rule
  return new SignalError(problem, problem === 'no_session' && use === 'encrypt' ? 'No sessions' : message, text)
}
