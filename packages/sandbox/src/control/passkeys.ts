/** The passkey part of the control API, for phones that require a passkey before they link a device. */
import type {
  PasskeyAnswer,
  PasskeyBends,
  PasskeyInput,
  PasskeySaid,
  PublicJwk,
  RelayInput,
  SignInput,
} from './schemas/passkeys.ts'

/** An assertion in the format of `credential.toJSON()`. */
export interface Assertion {
  id: string
  rawId: string
  type: string
  authenticatorAttachment: string
  clientExtensionResults: Record<string, unknown>
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string }
}

export type CeremonyStage =
  /** The passkey was requested, and no valid prologue (the device's first message) has arrived. */
  | 'asked'
  /** The phone has got the prologue, and has not answered it. */
  | 'deciding'
  | 'awaiting_nonce'
  /** Both sides know the code, but the encrypted request or the owner's consent is still missing. */
  | 'confirming'
  | 'linking'
  | 'linked'
  /** The phone no longer takes part in the linking. The network still answers queries. */
  | 'discarded'

export interface CeremonyView {
  stage: CeremonyStage
  /** Id of the connection, as it is in traces and in `POST /stanzas`. */
  conn: string
  /**
   * The question to the owner: whether to link the device, or whether the two codes are equal. Null if nothing is
   * asked.
   */
  asks: 'link' | 'code' | null
  proof: 'none' | 'good' | 'bad' | 'late' | 'refused' | null
  /** The code that the phone shows; null if it shows none. */
  code: string | null
  /** Number of prologues that the device has sent, valid or not. */
  prologues: number
  /** Acks of the device for the notifications, in order. `error`: the code of a negative one. */
  acks: { type: string; error: string | null }[]
  /** Number of the linked device. */
  device: number | null
  /** Errors that the network or the phone found, or the reason why the phone gave up. */
  problems: string[]
}

export interface PasskeyView {
  credential_id: string
  user_handle: string | null
  public_jwk: PublicJwk
  /** Private key as PKCS #8 in base64, which a virtual authenticator accepts; null if only the public key was given. */
  private_key: string | null
  app: 'front' | 'back'
  answers: 'yes' | 'no' | 'never'
  limit: boolean
  played_by: 'simulator' | 'program'
  bend: PasskeyBends
  /** The last attempt to link a device to this phone with the passkey. */
  ceremony: CeremonyView | null
}

/** Items that the network passes to a program that acts as the phone. Bytes are in base64. */
export type RelayItem = { seq: number } & (
  | {
      what: 'accepted'
      /** The secret that the phone has read in the code. */
      adv_secret: string
      /** Keys of the companion device that the phone has read in the code. */
      noise_key: string
      identity_key: string
    }
  | {
      what: 'prologue'
      credential_id: string
      /** The challenge that was signed, in base64url. */
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
  /** Answers the phone's question as its owner. If `code` differs from the code that the phone shows, the answer counts as no. */
  accept(phone: string, input: PasskeyAnswer): PasskeyView
  /**
   * Sends the device a stanza that it does not expect. `request`: the request for the passkey, again. `refresh`: `companion_reg_refresh`.
   * `continuation`: a random identity, which is not the phone's.
   */
  say(phone: string, what: PasskeySaid): PasskeyView
  relayed(phone: string, after: number, waitMs: number): Promise<{ items: RelayItem[] }>
  relay(phone: string, input: RelayInput): PasskeyView
}
