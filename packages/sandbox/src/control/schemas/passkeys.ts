import * as v from 'valibot'
import { count, text } from './values.ts'

const base64url = v.pipe(v.string(), v.regex(/^[\w-]+$/, 'must be base64url without padding'))

const base64 = v.pipe(v.string(), v.minLength(1, 'must not be empty'), v.base64())

const publicJwk = v.strictObject({ kty: v.literal('EC'), crv: v.literal('P-256'), x: base64url, y: base64url })

const continuation = v.picklist([
  'none',
  /** The phone's identity is sent a second time, with other keys. */
  'twice',
  'short_key',
  'short_nonce',
  /** The phone's public key is such that the shared secret is always zero. */
  'zero_key',
  /** The phone's identity is not a protobuf. */
  'not_protobuf',
  'other_tag',
  'other_sender',
  /** The identity has the keys of another phone, so that the two sides show different codes. */
  'foreign',
  'early',
  /** An identity is sent directly after the request. Later identities are correct. */
  'unasked',
])

/** Deviations from normal behavior, which apply until they are replaced. */
const bends = v.strictObject({
  /**
   * `query`: the request contains no WebAuthn options, so the client must query them. `not_json`, `no_challenge`: the
   * options in the request are unusable.
   */
  options: v.optional(v.picklist(['query', 'not_json', 'no_challenge'])),
  challenge: v.optional(v.literal('stale')),
  /** The phone refuses the proof that the device is the scanned one, so the phone asks its owner. */
  proof: v.optional(v.literal('refuse')),
  continuation: v.optional(continuation),
  continuation_delay_ms: v.optional(count),
  /**
   * `early`: `pair-success` is sent before the answer to the encrypted request. `old_secret`: it is signed with the
   * secret in the code.
   */
  pair_success: v.optional(v.picklist(['early', 'old_secret'])),
  cut_after: v.optional(v.picklist(['request', 'options', 'ref', 'prologue', 'continuation', 'nonce', 'sealed_request'])),
})

export const Passkey = v.strictObject({
  credential_id: v.optional(base64url),
  /** Public key of the passkey. If it is absent, the phone makes a key pair, and `sign` can use it. */
  public_jwk: v.optional(publicJwk),
  user_handle: v.optional(base64url),
  app: v.optional(v.picklist(['front', 'back'])),
  answers: v.optional(v.picklist(['yes', 'no', 'never'])),
  limit: v.optional(v.boolean()),
  /** Side that acts as the phone: the simulator, or a program that uses `relay`. */
  played_by: v.optional(v.picklist(['simulator', 'program'])),
  bend: v.optional(bends),
})

export const PasskeySign = v.strictObject({
  public_key: v.looseObject({ challenge: base64url, rpId: v.optional(text) }),
  origin: v.optional(text),
  flags: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255))),
  /** The part of the assertion that is made invalid. */
  spoil: v.optional(v.picklist(['signature', 'challenge', 'rp_id', 'type', 'credential', 'user_handle'])),
})

export const PasskeyAccept = v.strictObject({ yes: v.optional(v.boolean(), true), code: v.optional(text) })

export const PasskeySay = v.strictObject({ what: v.picklist(['request', 'refresh', 'continuation']) })

/** A message of a program that acts as the phone: its identity, or the received secret. */
export const PasskeyRelay = v.union(
  [v.strictObject({ primary_ephemeral_identity: base64 }), v.strictObject({ adv_secret: base64 })],
  'exactly one of primary_ephemeral_identity and adv_secret is needed, in base64',
)

export type PublicJwk = v.InferOutput<typeof publicJwk>
export type PasskeyBends = v.InferOutput<typeof bends>
export type PasskeyStep = NonNullable<PasskeyBends['cut_after']>
export type PasskeyInput = v.InferOutput<typeof Passkey>
export type SignInput = v.InferOutput<typeof PasskeySign>
export type RequestOptions = SignInput['public_key']
export type PasskeyAnswer = v.InferOutput<typeof PasskeyAccept>
export type PasskeySaid = v.InferOutput<typeof PasskeySay>['what']
export type RelayInput = v.InferOutput<typeof PasskeyRelay>
