import type { InstanceId } from './ids.ts'

export const PASSKEY_STAGES = ['none', 'awaiting_response', 'awaiting_confirmation', 'linking'] as const
export type PasskeyStage = (typeof PASSKEY_STAGES)[number]

export const PASSKEY_ERRORS = ['refused', 'no_answer_from_phone', 'timed_out', 'codes_differ', 'connection_lost'] as const
export type PasskeyError = (typeof PASSKEY_ERRORS)[number]

/** Maximum number of assertions that one pairing may send to WhatsApp. */
export const PASSKEY_ATTEMPTS = 3

/** The WebAuthn type `PublicKeyCredentialRequestOptionsJSON`. Unknown fields are kept. */
export interface PublicKeyOptions {
  challenge: string
  [member: string]: unknown
}

export interface PasskeyState {
  stage: PasskeyStage
  /** Options for the signature, as WhatsApp sent them; null if there is no challenge to sign. */
  public_key: PublicKeyOptions | null
  /** Time at which the current stage ends, in ISO-8601. */
  expires_at: string | null
  attempts_left: number
  /** Code that the phone shows too, so that the owner can compare both; null if there is none. */
  code: string | null
  needs_confirmation: boolean
  last_error: PasskeyError | null
}

export type PasskeyReport = PasskeyState & { ceremony: string | null }

export interface Passkeys {
  /**
   * Returns the state of the passkey step. `isStranger` is true for a caller with only a connect link. Such a caller
   * gets `instance_already_connected` once an account is linked.
   */
  state(instance: InstanceId, caller: { isStranger: boolean }): Promise<PasskeyState & { helper_seen: boolean }>
  /**
   * Creates a ticket, with which a browser extension signs the challenge. Rejects with `passkey_not_pending` if there
   * is nothing to sign.
   */
  ticket(
    instance: InstanceId,
    baseUrl: string,
    caller: { isStranger: boolean },
  ): Promise<{ ticket: string; expires_at: string; open_url: string }>
  /**
   * Returns the instance of a ticket; undefined for an unknown or ended ticket. It is synchronous, so that concurrent
   * guesses cannot evade the limit of attempts.
   */
  find(ticket: string): InstanceId | undefined
  /** Resolves with the challenge of the ticket; undefined if the ticket is no longer valid. */
  open(ticket: string): Promise<PasskeyOffer | undefined>
  /** Counts a refused assertion, because a ticket allows a limited number of them. */
  refused(ticket: string): void
  spent(ticket: string): void
}

export interface PasskeyOffer {
  instance: InstanceId
  isStranger: boolean
  public_key: PublicKeyOptions
  expires_at: string
}

export interface Assertion {
  id: string
  rawId: string
  type: 'public-key'
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle?: string | null | undefined
  }
}
