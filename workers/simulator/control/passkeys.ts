/** The passkey part of the control API: phones that require a passkey before they link a device. */

/** The data that a browser signs: the network's options for WebAuthn. */
export interface RequestOptions {
  challenge: string
  rpId?: string | undefined
  [member: string]: unknown
}

export interface PublicJwk {
  kty: 'EC'
  crv: 'P-256'
  x: string
  y: string
}

/** Deviations from the normal behaviour of the network and the phone. They apply until they are replaced. */
export interface PasskeyBends {
  /**
   * `query`: the request has no options; the client must query them. `not_json`, `no_challenge`: the options are unusable, but queried ones are good.
   */
  options?: 'query' | 'not_json' | 'no_challenge' | undefined
  /** The network treats every challenge as expired. */
  challenge?: 'stale' | undefined
  /** The phone does not accept the proof, so it asks its owner. */
  proof?: 'refuse' | undefined
  continuation?:
    | 'none'
    /** A second continuation follows, with other keys. */
    | 'twice'
    | 'short_key'
    | 'short_nonce'
    /** A key with which every key agreement gives zero. */
    | 'zero_key'
    /** Bytes that are not a protobuf. */
    | 'not_protobuf'
    /** Another element takes the place of the identity. */
    | 'other_tag'
    /** The sender is not the server. */
    | 'other_sender'
    /** Keys of another phone: both sides show different codes. */
    | 'foreign'
    /** The continuation arrives before the answer to the prologue. */
    | 'early'
    /** An unrequested continuation directly after the request; later ones are good. */
    | 'unasked'
    | undefined
  /** Delay of the continuation in ms. */
  continuation_delay_ms?: number | undefined
  /**
   * `early`: `pair-success` is sent before the answer to the sealed request. `old_secret`: it is signed with the secret of the code instead of the new one.
   */
  pair_success?: 'early' | 'old_secret' | undefined
  /** The connection ends after this step was done and answered. */
  cut_after?: PasskeyStep | undefined
}

export type PasskeyStep = 'request' | 'options' | 'ref' | 'prologue' | 'continuation' | 'nonce' | 'sealed_request'

/** Changes of a passkey. Absent fields stay as they are. */
export interface PasskeyInput {
  /** Id of the credential in base64url. */
  credential_id?: string | undefined
  /** Public key of the passkey. Without one the phone makes a key, and `sign` can use it. */
  public_jwk?: PublicJwk | undefined
  /** Handle of the user in base64url. */
  user_handle?: string | undefined
  /**
   * Whether WhatsApp is in the foreground of the phone. Going to the background after a code was scanned, or while the
   * owner is asked, discards the registration.
   */
  app?: 'front' | 'back' | undefined
  /** The owner's answer to the question of the phone. */
  answers?: 'yes' | 'no' | 'never' | undefined
  /** Whether the account has its maximum of linked devices. */
  limit?: boolean | undefined
  /** Whether the simulator acts as the phone, or a program through `relay`. */
  played_by?: 'simulator' | 'program' | undefined
  bend?: PasskeyBends | undefined
}

export interface SignInput {
  public_key: RequestOptions
  origin?: string | undefined
  /** Flags of the authenticator data. */
  flags?: number | undefined
  /** Part of the assertion that is made wrong. */
  spoil?: 'signature' | 'challenge' | 'rp_id' | 'type' | 'credential' | 'user_handle' | undefined
}

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
  /** The passkey was requested, and no valid prologue has arrived yet. */
  | 'asked'
  /** The phone has received the prologue and has not answered it. */
  | 'deciding'
  | 'awaiting_nonce'
  /** The code is known; the sealed request, the owner's consent or both are missing. */
  | 'confirming'
  | 'linking'
  | 'linked'
  /** The phone no longer takes part. The network still answers queries. */
  | 'discarded'

export interface CeremonyView {
  stage: CeremonyStage
  /** Id of the connection, as in traces and for `POST /stanzas`. */
  conn: string
  /** Question to the owner: whether to link the device, or whether the codes are equal. Null if nothing is asked. */
  asks: 'link' | 'code' | null
  proof: 'none' | 'good' | 'bad' | 'late' | 'refused' | null
  /** The code that the phone shows. */
  code: string | null
  /** Number of prologues of the companion, valid and invalid. */
  prologues: number
  /** Answers to the notifications, in order; `error` is that of a negative ack. */
  acks: { type: string; error: string | null }[]
  /** Number of the linked device. */
  device: number | null
  /** Errors that were found, or the reason why the phone gave up. */
  problems: string[]
}

export interface PasskeyView {
  credential_id: string
  user_handle: string | null
  public_jwk: PublicJwk
  /** Private key as PKCS #8 in base64, as a virtual authenticator takes it; null when only the public key was given. */
  private_key: string | null
  app: 'front' | 'back'
  answers: 'yes' | 'no' | 'never'
  limit: boolean
  played_by: 'simulator' | 'program'
  bend: PasskeyBends
  /** The last ceremony of this phone. */
  ceremony: CeremonyView | null
}

/** Items that the network passes to the phone, for a program that acts as the phone. Bytes are base64. */
export type RelayItem = { seq: number } & (
  | {
      what: 'accepted'
      /** The secret that the phone knows. */
      adv_secret: string
      /** Keys of the companion, as the phone read them in the code. */
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

/** The actions of a program that acts as the phone: it sends its identity, or links with the secret that it was given. */
export type RelayInput = { primary_ephemeral_identity: string } | { adv_secret: string }

export interface PasskeyControl {
  set(phone: string, input: PasskeyInput): PasskeyView
  read(phone: string): PasskeyView
  remove(phone: string): void
  sign(phone: string, input: SignInput): { assertion: Assertion }
  /** Gives the owner's answer; another code than the phone's own counts as no. */
  accept(phone: string, input: { yes: boolean; code?: string | undefined }): PasskeyView
  /**
   * Sends a stanza. `request`: the passkey is requested again. `refresh`: `companion_reg_refresh`. `continuation`: an
   * unrequested continuation.
   */
  say(phone: string, what: 'request' | 'refresh' | 'continuation'): PasskeyView
  relayed(phone: string, after: number, waitMs: number): Promise<{ items: RelayItem[] }>
  relay(phone: string, input: RelayInput): PasskeyView
}
