/** Requests about the passkey of a phone. */
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
  /** The phone's identity contains a public key with which every key agreement gives zero. */
  'zero_key',
  /** The phone's identity is not a protobuf. */
  'not_protobuf',
  /** The notification contains another element in place of the identity. */
  'other_tag',
  /** The notification with the identity comes from another sender than the server. */
  'other_sender',
  /** The identity contains the keys of another phone, so that the two sides show different codes. */
  'foreign',
  /** The identity arrives before the answer to the prologue. */
  'early',
  /** An identity is sent directly after the request, before any prologue. Later ones are correct. */
  'unasked',
])

/** Deviations from the normal behavior of the network and the phone. They apply until they are replaced. */
const bends = v.strictObject({
  /**
   * `query`: the request contains no WebAuthn options, so that the client must query them. `not_json`, `no_challenge`: the options in the request are
   * unusable, and queried options are correct.
   */
  options: v.optional(v.picklist(['query', 'not_json', 'no_challenge'])),
  /** The network treats every challenge as if it had expired. */
  challenge: v.optional(v.literal('stale')),
  /** The phone does not accept the proof that the device was scanned, so it asks its owner. */
  proof: v.optional(v.literal('refuse')),
  continuation: v.optional(continuation),
  /** Time in ms by which the phone's identity is delayed. */
  continuation_delay_ms: v.optional(count),
  /**
   * `early`: `pair-success` is sent before the answer to the encrypted request. `old_secret`: it is signed with the
   * secret in the code, and not with the new secret.
   */
  pair_success: v.optional(v.picklist(['early', 'old_secret'])),
  /** The connection is cut after this step was handled and answered. */
  cut_after: v.optional(v.picklist(['request', 'options', 'ref', 'prologue', 'continuation', 'nonce', 'sealed_request'])),
})

/** Changes the passkey of a phone. Fields that are absent stay unchanged. */
export const Passkey = v.strictObject({
  /** Id of the credential. */
  credential_id: v.optional(base64url),
  /** Public key of the passkey. If it is absent, the phone makes a key pair, and `sign` can use it. */
  public_jwk: v.optional(publicJwk),
  /** Handle of the passkey's user. */
  user_handle: v.optional(base64url),
  /**
   * Whether WhatsApp is in the foreground of the phone. If it goes to the background after a code was scanned, or while
   * the owner is asked, the linking is discarded.
   */
  app: v.optional(v.picklist(['front', 'back'])),
  /** The owner's answer to the question of the phone. */
  answers: v.optional(v.picklist(['yes', 'no', 'never'])),
  /** Whether the account has its maximum of linked devices. */
  limit: v.optional(v.boolean()),
  /** The one that acts as the phone: the simulator, or a program that uses `relay`. */
  played_by: v.optional(v.picklist(['simulator', 'program'])),
  bend: v.optional(bends),
})

export const PasskeySign = v.strictObject({
  /** The data that a browser signs: the network's options for WebAuthn. */
  public_key: v.looseObject({ challenge: base64url, rpId: v.optional(text) }),
  origin: v.optional(text),
  /** Flags of the authenticator data. */
  flags: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255))),
  /** The part of the assertion that is made invalid. */
  spoil: v.optional(v.picklist(['signature', 'challenge', 'rp_id', 'type', 'credential', 'user_handle'])),
})

export const PasskeyAccept = v.strictObject({ yes: v.optional(v.boolean(), true), code: v.optional(text) })

export const PasskeySay = v.strictObject({ what: v.picklist(['request', 'refresh', 'continuation']) })

/**
 * A message of a program that acts as the phone: its identity, or the received secret with which it links the device.
 */
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
