/**
 * Types for linking an account that requires its passkey: the state of a ceremony, the assertion of a browser, and tickets for a browser extension.
 */
import type { InstanceId } from './ids.ts'

export const PASSKEY_STAGES = ['none', 'awaiting_response', 'awaiting_confirmation', 'linking'] as const
export type PasskeyStage = (typeof PASSKEY_STAGES)[number]

/** Reason why the last attempt, or the whole pairing, failed. */
export const PASSKEY_ERRORS = ['refused', 'no_answer_from_phone', 'timed_out', 'codes_differ', 'connection_lost'] as const
export type PasskeyError = (typeof PASSKEY_ERRORS)[number]

/** Number of assertions that one pairing may send to the network. */
export const PASSKEY_ATTEMPTS = 3

/** `PublicKeyCredentialRequestOptionsJSON`; unknown fields are kept. */
export interface PublicKeyOptions {
  challenge: string
  [member: string]: unknown
}

/** State of the ceremony as the API shows it. */
export interface PasskeyState {
  stage: PasskeyStage
  /** Options as the network sent them; null if there is no challenge to sign. */
  public_key: PublicKeyOptions | null
  /** Time at which the current stage ends, in ISO-8601. */
  expires_at: string | null
  attempts_left: number
  /** Code that the phone also shows, so that the owner can compare both; null if there is none. */
  code: string | null
  /** Whether the owner must confirm that both codes are the same. */
  needs_confirmation: boolean
  last_error: PasskeyError | null
}

/** State as the shard reports it. `ceremony` is the id of the running ceremony, or null. */
export type PasskeyReport = PasskeyState & { ceremony: string | null }

/** Operations for linking with a passkey that the HTTP side uses. */
export interface Passkeys {
  /**
   * `isStranger` is true for a caller with a connect link instead of credentials. Once an account is linked, this caller and the holder of a ticket
   * that this caller created are refused with `instance_already_connected`. They also do not learn the name of the instance.
   */
  state(instance: InstanceId, caller: { isStranger: boolean }): Promise<PasskeyState & { helper_seen: boolean }>
  /** Creates a ticket. Rejects with `passkey_not_pending` if there is nothing to sign. */
  ticket(
    instance: InstanceId,
    baseUrl: string,
    caller: { isStranger: boolean },
  ): Promise<{ ticket: string; expires_at: string; open_url: string }>
  /**
   * Returns the instance of a ticket; undefined for an unknown ticket. The call is synchronous, so that concurrent
   * guesses cannot evade the limit of attempts.
   */
  find(ticket: string): InstanceId | undefined
  /** Returns the challenge that the ticket is for; undefined if the ticket is no longer valid. */
  open(ticket: string): Promise<PasskeyOffer | undefined>
  /** Counts a refused assertion of the ticket, because a ticket has a limited number of them. */
  refused(ticket: string): void
  /** Removes the ticket after its assertion was accepted. */
  spent(ticket: string): void
}

export interface PasskeyOffer {
  instance: InstanceId
  isStranger: boolean
  public_key: PublicKeyOptions
  expires_at: string
}

/** Fields of a browser's `credential.toJSON()` that are sent to the network; bytes are base64url without padding. */
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
