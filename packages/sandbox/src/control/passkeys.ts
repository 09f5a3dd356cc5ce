/** The control API for phones that require a passkey before they link a device. */
import type {
  PasskeyAnswer,
  PasskeyBends,
  PasskeyInput,
  PasskeySaid,
  PublicJwk,
  RelayInput,
  SignInput,
} from './schemas/passkeys.ts'

export interface Assertion {
  id: string
  rawId: string
  type: string
  authenticatorAttachment: string
  clientExtensionResults: Record<string, unknown>
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string }
}

export type CeremonyStage =
  /** The passkey was requested, and the device's first message has not arrived. */
  | 'asked'
  /** The phone has got the device's first message, and has not answered it. */
  | 'deciding'
  | 'awaiting_nonce'
  /** Both sides know the code, but the encrypted request or the owner's consent is still missing. */
  | 'confirming'
  | 'linking'
  | 'linked'
  /** The phone no longer takes part in the linking. The network still answers the device's queries. */
  | 'discarded'

export interface CeremonyView {
  stage: CeremonyStage
  /** Id of the connection in traces and in `POST /stanzas`. */
  conn: string
  asks: 'link' | 'code' | null
  proof: 'none' | 'good' | 'bad' | 'late' | 'refused' | null
  code: string | null
  prologues: number
  /** Acks of the device. `error` is the code of a negative ack, or null. */
  acks: { type: string; error: string | null }[]
  device: number | null
  problems: string[]
}

export interface PasskeyView {
  credential_id: string
  user_handle: string | null
  public_jwk: PublicJwk
  /** PKCS #8 in base64 for a virtual authenticator; null if only the public key was given. */
  private_key: string | null
  app: 'front' | 'back'
  answers: 'yes' | 'no' | 'never'
  limit: boolean
  played_by: 'simulator' | 'program'
  bend: PasskeyBends
  ceremony: CeremonyView | null
}

export type RelayItem = { seq: number } & (
  | {
      what: 'accepted'
      /** The secret that the phone has read in the code. */
      adv_secret: string
      noise_key: string
      identity_key: string
    }
  | {
      what: 'prologue'
      credential_id: string
      challenge: string
      webauthn_assertion: string
      prologue_payload: string
      pairing_handoff_proof: string | null
    }
  | { what: 'nonce'; companion_nonce: string }
  | { what: 'sealed_request'; encrypted_pairing_request: string }
)

export interface PasskeyControl {
  set(phone: string, input: PasskeyInput): PasskeyView
  read(phone: string): PasskeyView
  remove(phone: string): void
  sign(phone: string, input: SignInput): { assertion: Assertion }
  /** Answers on the phone as its owner. If the phone does not show this `code`, the answer counts as no. */
  accept(phone: string, input: PasskeyAnswer): PasskeyView
  /**
   * Sends a stanza that the device does not expect:
   * - `request`: the request for the passkey, again
   * - `refresh`: `companion_reg_refresh`
   * - `continuation`: a random identity, which is not the phone's
   */
  say(phone: string, what: PasskeySaid): PasskeyView
  relayed(phone: string, after: number, waitMs: number): Promise<{ items: RelayItem[] }>
  relay(phone: string, input: RelayInput): PasskeyView
}
