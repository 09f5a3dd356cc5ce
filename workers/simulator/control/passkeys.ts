/** The passkey part of the control API: phones that demand one before they link a device. */

/** What a browser gets to sign: the network's options for WebAuthn. */
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

/** Departures from what the network and the phone do by themselves. They hold until they are replaced. */
export interface PasskeyBends {
  /** `query`: the request has no options, they must be queried. `not_json`, `no_challenge`: the options are useless; queried ones are good. */
  options?: 'query' | 'not_json' | 'no_challenge' | undefined
  /** The network treats every challenge as expired. */
  challenge?: 'stale' | undefined
  /** The phone does not accept the proof, so its owner is asked. */
  proof?: 'refuse' | undefined
  continuation?:
    | 'none'
    /** A second one follows, with other keys. */
    | 'twice'
    | 'short_key'
    | 'short_nonce'
    /** A key with which every agreement is zero. */
    | 'zero_key'
    /** Bytes that are no protobuf. */
    | 'not_protobuf'
    /** Another element in place of the identity. */
    | 'other_tag'
    /** The sender is not the server. */
    | 'other_sender'
    /** Keys that are not those of the phone: both sides show another code. */
    | 'foreign'
    /** Before the answer to the prologue. */
    | 'early'
    /** One right behind the request, which nobody asked for; later ones are good. */
    | 'unasked'
    | undefined
  /** Delay of the continuation in ms. */
  continuation_delay_ms?: number | undefined
  /** `early`: before the answer to the sealed request. `old_secret`: with the secret of the code in place of the new one. */
  pair_success?: 'early' | 'old_secret' | undefined
  /** The connection is cut once this step was done and answered. */
  cut_after?: PasskeyStep | undefined
}

export type PasskeyStep = 'request' | 'options' | 'ref' | 'prologue' | 'continuation' | 'nonce' | 'sealed_request'

/** Absent fields stay as they are. */
export interface PasskeyInput {
  /** base64url. */
  credential_id?: string | undefined
  /** Without it the phone makes a key, and `sign` can use it. */
  public_jwk?: PublicJwk | undefined
  /** base64url. */
  user_handle?: string | undefined
  /** Where WhatsApp is on the phone. `back` while a code was scanned or the owner is asked discards the registration. */
  app?: 'front' | 'back' | undefined
  /** The owner's answer to what the phone asks. */
  answers?: 'yes' | 'no' | 'never' | undefined
  /** As many devices are linked as the account may have. */
  limit?: boolean | undefined
  /** Who plays the phone: the simulator, or a program through `relay`. */
  played_by?: 'simulator' | 'program' | undefined
  bend?: PasskeyBends | undefined
}

export interface SignInput {
  public_key: RequestOptions
  origin?: string | undefined
  /** Flags of the authenticator data. */
  flags?: number | undefined
  /** The part that is wrong. */
  spoil?: 'signature' | 'challenge' | 'rp_id' | 'type' | 'credential' | 'user_handle' | undefined
}

/** As `credential.toJSON()` gives it. */
export interface Assertion {
  id: string
  rawId: string
  type: string
  authenticatorAttachment: string
  clientExtensionResults: Record<string, unknown>
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string }
}

export type CeremonyStage =
  /** The passkey was asked for, and no good prologue has come. */
  | 'asked'
  /** The phone has the prologue and has not answered it. */
  | 'deciding'
  | 'awaiting_nonce'
  /** The code is known; the sealed request, the owner's yes or both are missing. */
  | 'confirming'
  | 'linking'
  | 'linked'
  /** The phone takes part no more. The network goes on answering queries. */
  | 'discarded'

export interface CeremonyView {
  stage: CeremonyStage
  /** Id of the connection, as in traces and for `POST /stanzas`. */
  conn: string
  /** Whether the phone asks its owner about the link, or whether the codes are equal. */
  asks: 'link' | 'code' | null
  proof: 'none' | 'good' | 'bad' | 'late' | 'refused' | null
  /** As the phone shows it. */
  code: string | null
  /** Prologues of the companion, good and bad. */
  prologues: number
  /** Answers to the notifications, in order; `error` is that of a nack. */
  acks: { type: string; error: string | null }[]
  /** Number of the linked device. */
  device: number | null
  /** What was wrong, or why the phone gave up. */
  problems: string[]
}

export interface PasskeyView {
  credential_id: string
  user_handle: string | null
  public_jwk: PublicJwk
  /** PKCS #8 in base64, as a virtual authenticator takes it; null when only the public key was given. */
  private_key: string | null
  app: 'front' | 'back'
  answers: 'yes' | 'no' | 'never'
  limit: boolean
  played_by: 'simulator' | 'program'
  bend: PasskeyBends
  /** The last one of this phone. */
  ceremony: CeremonyView | null
}

/** What the network hands to the phone, for a program that plays it. Bytes are base64. */
export type RelayItem = { seq: number } & (
  | {
      what: 'accepted'
      /** The secret that the phone knows. */
      adv_secret: string
      /** Keys of the companion, as the phone saw them in the code. */
      noise_key: string
      identity_key: string
    }
  | {
      what: 'prologue'
      credential_id: string
      /** The challenge that was signed, base64url. */
      challenge: string
      webauthn_assertion: string
      prologue_payload: string
      pairing_handoff_proof: string | null
    }
  | { what: 'nonce'; companion_nonce: string }
  | { what: 'sealed_request'; encrypted_pairing_request: string }
)

/** What the program that plays the phone does: it sends its identity, or links with the secret it was given. */
export type RelayInput = { primary_ephemeral_identity: string } | { adv_secret: string }

export interface PasskeyControl {
  set(phone: string, input: PasskeyInput): PasskeyView
  read(phone: string): PasskeyView
  remove(phone: string): void
  sign(phone: string, input: SignInput): { assertion: Assertion }
  /** The owner's answer; a code that is not the phone's own is a no. */
  accept(phone: string, input: { yes: boolean; code?: string | undefined }): PasskeyView
  /** `request`: the passkey is asked for again. `refresh`: `companion_reg_refresh`. `continuation`: one that nobody waits for. */
  say(phone: string, what: 'request' | 'refresh' | 'continuation'): PasskeyView
  relayed(phone: string, after: number, waitMs: number): Promise<{ items: RelayItem[] }>
  relay(phone: string, input: RelayInput): PasskeyView
}
