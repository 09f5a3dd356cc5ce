/** The passkey part of the control API, for phones that require a passkey before they link a device. */

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

/** Deviations from the normal behaviour of the network and the phone. They stay in effect until they are replaced. */
export interface PasskeyBends {
  /**
   * `query`: the request contains no options, so the client must query them. `not_json`, `no_challenge`: the options in
   * the request are unusable, but queried options are good.
   */
  options?: 'query' | 'not_json' | 'no_challenge' | undefined
  /** The network treats every challenge as if it had expired. */
  challenge?: 'stale' | undefined
  /** The phone does not accept the proof, so it asks its owner for consent. */
  proof?: 'refuse' | undefined
  continuation?:
    | 'none'
    /** The network sends a second continuation, with other keys. */
    | 'twice'
    | 'short_key'
    | 'short_nonce'
    /** The continuation contains a public key with which every key agreement results in zero. */
    | 'zero_key'
    /** The continuation contains bytes that are not a protobuf. */
    | 'not_protobuf'
    /** The continuation contains another element in place of the identity. */
    | 'other_tag'
    /** The continuation does not come from the server's address. */
    | 'other_sender'
    /** The continuation contains the keys of another phone, so the two sides show different codes. */
    | 'foreign'
    /** The continuation arrives before the answer to the prologue. */
    | 'early'
    /**
     * The network sends a continuation directly after its request, before any prologue. Later continuations are good.
     */
    | 'unasked'
    | undefined
  /** Delay of the continuation in ms. */
  continuation_delay_ms?: number | undefined
  /**
   * `early`: `pair-success` is sent before the answer to the encrypted request. `old_secret`: it is signed with the
   * secret in the code, and not with the new secret.
   */
  pair_success?: 'early' | 'old_secret' | undefined
  /** The connection ends after this step was handled and answered. */
  cut_after?: PasskeyStep | undefined
}

export type PasskeyStep = 'request' | 'options' | 'ref' | 'prologue' | 'continuation' | 'nonce' | 'sealed_request'

/** Changes the passkey of a phone. Fields that are absent stay unchanged. */
export interface PasskeyInput {
  /** Id of the credential in base64url. */
  credential_id?: string | undefined
  /** Public key of the passkey. If it is absent, the phone makes a key pair, and `sign` can use it. */
  public_jwk?: PublicJwk | undefined
  /** Handle of the passkey's user in base64url. */
  user_handle?: string | undefined
  /**
   * Whether WhatsApp is in the foreground of the phone. If it goes to the background after a code was scanned, or while
   * the owner is asked, the linking is discarded.
   */
  app?: 'front' | 'back' | undefined
  /** The owner's answer to the question of the phone. */
  answers?: 'yes' | 'no' | 'never' | undefined
  /** Whether the account has its maximum of linked devices. */
  limit?: boolean | undefined
  /** Whether the simulator acts as the phone, or a program that uses `relay`. */
  played_by?: 'simulator' | 'program' | undefined
  bend?: PasskeyBends | undefined
}

export interface SignInput {
  public_key: RequestOptions
  origin?: string | undefined
  /** Flags of the authenticator data. */
  flags?: number | undefined
  /** The part of the assertion that is made wrong. */
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
  /** The passkey has been requested, and no valid prologue has arrived yet. */
  | 'asked'
  /** The phone has received the prologue and has not answered it. */
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
  /** The code that the phone shows. */
  code: string | null
  /** Number of prologues that the companion device has sent, valid and invalid ones. */
  prologues: number
  /** The companion's acknowledgements of the notifications, in order. `error` is the code of a negative one. */
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

/** Items that the network passes to the phone, for a program that acts as the phone. Bytes are in base64. */
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

/**
 * A message of a program that acts as the phone: its identity, or the received secret with which it links the device.
 */
export type RelayInput = { primary_ephemeral_identity: string } | { adv_secret: string }

export interface PasskeyControl {
  set(phone: string, input: PasskeyInput): PasskeyView
  read(phone: string): PasskeyView
  remove(phone: string): void
  sign(phone: string, input: SignInput): { assertion: Assertion }
  /** Gives the owner's answer. If `code` differs from the code that the phone shows, the answer counts as no. */
  accept(phone: string, input: { yes: boolean; code?: string | undefined }): PasskeyView
  /**
   * Sends a stanza to the companion device. `request`: requests the passkey again. `refresh`: `companion_reg_refresh`.
   * `continuation`: a continuation that was not requested.
   */
  say(phone: string, what: 'request' | 'refresh' | 'continuation'): PasskeyView
  relayed(phone: string, after: number, waitMs: number): Promise<{ items: RelayItem[] }>
  relay(phone: string, input: RelayInput): PasskeyView
}
