import * as v from 'valibot'
import { StanzaSchema } from '../watch/stanza-json.ts'

/** Schemas of the control API's requests. They are strict, so that a misspelt field is an error and is not ignored. */

const text = v.pipe(v.string(), v.minLength(1, 'must not be empty'))
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const level = v.picklist(['none', 'delivered', 'read'])

/** Digits, with or without a plus sign in front. The network does not store the plus sign. */
export const Phone = v.pipe(
  v.string(),
  v.regex(/^\+?\d{5,20}$/, 'must be a phone number, digits only'),
  v.transform((phone) => phone.replace('+', '')),
)

const Message = v.record(v.string(), v.unknown())

export const SettingsChange = v.strictObject({
  auto_contacts: v.optional(v.boolean()),
  echo: v.optional(v.boolean()),
  receipts: v.optional(level),
  receipt_delay_ms: v.optional(count),
  addressing: v.optional(v.picklist(['lid', 'pn'])),
  mex_ids: v.optional(v.picklist(['today', 'older'])),
  snapshots_above: v.optional(v.nullable(count)),
  offline_batches: v.optional(v.picklist(['optional', 'required'])),
})

export const NewPhone = v.strictObject({
  phone: Phone,
  name: v.optional(text),
  platform: v.optional(v.picklist(['android', 'ios', 'smba', 'smbi'])),
  verified_name: v.optional(text),
  lid: v.optional(text),
  history: v.optional(v.strictObject({ chats: count, contacts: count, messages: v.optional(count), saved: v.optional(count) })),
  nct_salt: v.optional(text),
})

export const Scan = v.union(
  [v.strictObject({ image: text }), v.strictObject({ qr: text })],
  'exactly one of image (a PNG data URL) and qr (its text) is needed',
)

const codeAction = v.union(
  [
    v.picklist(['refresh', 'cut']),
    v.strictObject({ stream_error: v.union([v.pipe(v.number(), v.integer()), v.picklist(['replaced', 'device_removed'])]) }),
    v.strictObject({
      failure: v.pipe(v.number(), v.integer()),
      code: v.optional(v.string()),
      expire: v.optional(v.pipe(v.number(), v.integer())),
    }),
  ],
  'must be refresh, cut or one of { stream_error }, { failure, code?, expire? }',
)
export const CodeAct = v.union(
  [v.strictObject({ image: text, do: codeAction }), v.strictObject({ qr: text, do: codeAction })],
  'image or qr, and do are needed',
)
export const EnterCode = v.strictObject({ code: text })

const base64url = v.pipe(v.string(), v.regex(/^[\w-]+$/, 'must be base64url without padding'))
const base64 = v.pipe(v.string(), v.minLength(1, 'must not be empty'), v.base64())

export const Passkey = v.strictObject({
  credential_id: v.optional(base64url),
  public_jwk: v.optional(v.strictObject({ kty: v.literal('EC'), crv: v.literal('P-256'), x: base64url, y: base64url })),
  user_handle: v.optional(base64url),
  app: v.optional(v.picklist(['front', 'back'])),
  answers: v.optional(v.picklist(['yes', 'no', 'never'])),
  limit: v.optional(v.boolean()),
  played_by: v.optional(v.picklist(['simulator', 'program'])),
  bend: v.optional(
    v.strictObject({
      options: v.optional(v.picklist(['query', 'not_json', 'no_challenge'])),
      challenge: v.optional(v.literal('stale')),
      proof: v.optional(v.literal('refuse')),
      continuation: v.optional(
        v.picklist([
          'none',
          'twice',
          'short_key',
          'short_nonce',
          'zero_key',
          'not_protobuf',
          'other_tag',
          'other_sender',
          'foreign',
          'early',
          'unasked',
        ]),
      ),
      continuation_delay_ms: v.optional(count),
      pair_success: v.optional(v.picklist(['early', 'old_secret'])),
      cut_after: v.optional(v.picklist(['request', 'options', 'ref', 'prologue', 'continuation', 'nonce', 'sealed_request'])),
    }),
  ),
})
export const PasskeySign = v.strictObject({
  public_key: v.looseObject({ challenge: base64url, rpId: v.optional(text) }),
  origin: v.optional(text),
  flags: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255))),
  spoil: v.optional(v.picklist(['signature', 'challenge', 'rp_id', 'type', 'credential', 'user_handle'])),
})
export const PasskeyAccept = v.strictObject({ yes: v.optional(v.boolean(), true), code: v.optional(text) })
export const PasskeySay = v.strictObject({ what: v.picklist(['request', 'refresh', 'continuation']) })
export const PasskeyRelay = v.union(
  [v.strictObject({ primary_ephemeral_identity: base64 }), v.strictObject({ adv_secret: base64 })],
  'exactly one of primary_ephemeral_identity and adv_secret is needed, in base64',
)
export const Unlink = v.strictObject({ device: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))) })
export const PhoneSend = v.strictObject({ to: text, message: Message })

const contactFields = {
  name: v.optional(text),
  lid: v.optional(text),
  devices: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(4))),
  business: v.optional(v.boolean()),
  receipts: v.optional(level),
  picture: v.optional(v.string()),
  about: v.optional(v.string()),
  blocked_me: v.optional(v.boolean()),
  needs_token: v.optional(v.boolean()),
  /** The person accepts messages without decrypting them, for load tests. */
  sink: v.optional(v.boolean()),
  group_add: v.optional(v.picklist(['all', 'contacts', 'none'])),
}

export const NewContact = v.strictObject({ phone: Phone, ...contactFields })
export const ContactChange = v.strictObject(contactFields)

const damage = v.optional(v.picklist(['ciphertext', 'padding', 'content']))

export const Peer = v.strictObject({ proto: v.record(v.string(), v.unknown()), damage })

export const ContactSend = v.strictObject({
  to: text,
  message: Message,
  id: v.optional(text),
  delay_ms: v.optional(count),
  /**
   * Linked devices receive this type of `<unavailable>` in place of the content: `fanout` (the phone has the content),
   * or `view_once` (only the phone may show it).
   */
  unavailable: v.optional(text),
  /** Damage of the message for linked devices. */
  damage,
})

export const Burst = v.strictObject({
  to: text,
  count: v.pipe(v.number(), v.integer(), v.minValue(1)),
  per_second: v.optional(v.pipe(v.number(), v.gtValue(0))),
  /** If it is given, all texts are encrypted first. The first text is sent this number of ms after the request. */
  lead_ms: v.optional(count),
  text_prefix: v.string(),
})

const numberInQuery = (least: number, most: number) =>
  v.pipe(v.string(), v.regex(/^\d+$/, 'must be a whole number'), v.transform(Number), v.minValue(least), v.maxValue(most))

export const InboxQuery = v.strictObject({
  after: v.optional(numberInQuery(0, Number.MAX_SAFE_INTEGER), '0'),
  wait_ms: v.optional(numberInQuery(0, 30_000), '0'),
})

export const Replay = v.strictObject({ id: text, as: v.optional(text) })
export const Rotate = v.strictObject({
  what: v.picklist(['signed_pre_key', 'identity', 'sender_keys', 'sessions']),
  device: v.optional(count, 0),
})

export const Retry = v.strictObject({
  to: Phone,
  id: text,
  chat: v.optional(text),
  device: v.optional(count, 0),
  count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
  keys: v.optional(v.boolean(), true),
  times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
})

export const Receipt = v.strictObject({
  chat: text,
  ids: v.pipe(v.array(text), v.minLength(1, 'must name at least one message')),
  type: v.picklist(['delivered', 'read', 'played']),
})

export const Presence = v.strictObject({
  to: text,
  state: v.picklist(['available', 'unavailable', 'composing', 'recording', 'paused']),
})

export const Call = v.strictObject({
  to: text,
  video: v.optional(v.boolean()),
  group: v.optional(text),
  end: v.optional(v.picklist(['timeout', 'hangup']), 'timeout'),
  after_ms: v.optional(count, 30_000),
})

export const NewGroup = v.strictObject({
  subject: text,
  owner: Phone,
  participants: v.array(Phone),
  addressing: v.optional(v.picklist(['lid', 'pn'])),
  settings: v.optional(v.record(v.string(), v.unknown())),
})

export const ParticipantsChange = v.strictObject({
  by: Phone,
  action: v.picklist(['add', 'remove', 'promote', 'demote', 'leave', 'request', 'withdraw', 'reject', 'change_number']),
  /**
   * The people who are changed. If a person leaves, requests to join or withdraws, the default is `by`. For
   * `change_number` it is the earlier number of `by`.
   */
  phones: v.optional(v.array(Phone)),
  /** How the person requested to join. */
  method: v.optional(v.picklist(['invite_link', 'non_admin_add', 'linked_group_join'])),
})

export const GroupChange = v.strictObject({
  by: Phone,
  subject: v.optional(text),
  description: v.optional(v.string()),
  announce: v.optional(v.boolean()),
  restrict: v.optional(v.boolean()),
  ephemeral_seconds: v.optional(count),
  join_approval: v.optional(v.boolean()),
  suspended: v.optional(v.boolean()),
  /** The new picture. An empty text removes the current one. */
  picture: v.optional(v.string()),
  member_add_mode: v.optional(v.picklist(['admin_add', 'all_member_add'])),
  renew_invite: v.optional(v.boolean()),
  /** The most members. */
  capacity: v.optional(count),
  /** JID of the community to which the group is added. */
  community: v.optional(v.string()),
})

export const Restriction = v.strictObject({ seconds: count, silent: v.optional(v.boolean(), false) })
/** A contact in the phone's address book. An empty name removes the person from it. */
export const SavedContact = v.strictObject({ phone: Phone, name: v.string() })
export const Profile = v.strictObject({ name: v.optional(text), picture: v.optional(v.string()) })
export const Label = v.strictObject({
  chat: text,
  label: text,
  assigned: v.optional(v.boolean(), true),
  message_id: v.optional(text),
})
export const Action = v.strictObject({
  collection: v.picklist(['critical_block', 'critical_unblock_low', 'regular_high', 'regular_low', 'regular']),
  index: v.pipe(v.array(text), v.minLength(1)),
  version: v.optional(count, 1),
  value: v.nullable(v.record(v.string(), v.unknown())),
})
export const StatusPrivacy = v.strictObject({
  setting: v.picklist(['contacts', 'allowlist', 'denylist']),
  phones: v.optional(v.array(Phone), []),
})

export const Privacy = v.strictObject({ name: text, value: text, phones: v.optional(v.array(Phone)) })

export const Anything = v.record(v.string(), v.unknown())
export const Post = v.strictObject({ message: Message })
export const PostChange = v.strictObject({ post: text, message: v.optional(Message) })
export const PostReaction = v.strictObject({
  post: text,
  emoji: v.string(),
  form: v.optional(v.picklist(['live_updates', 'reaction']), 'live_updates'),
})
export const ChannelRole = v.strictObject({
  by: Phone,
  phone: Phone,
  role: v.picklist(['admin', 'subscriber']),
  form: v.optional(v.picklist(['participant', 'mex', 'updates']), 'mex'),
})

const written = v.pipe(v.union([v.string(), v.number(), v.boolean()]), v.transform(String))

const FaultDo = v.union(
  [
    v.picklist(['drop', 'duplicate', 'cut', 'unanswered']),
    v.strictObject({ delay_ms: count }),
    v.strictObject({ query_error: v.strictTuple([v.pipe(v.number(), v.integer()), v.string()]) }),
    v.strictObject({ ack_error: v.pipe(v.number(), v.integer()) }),
    v.strictObject({ stream_error: v.union([v.pipe(v.number(), v.integer()), v.picklist(['replaced', 'device_removed'])]) }),
    v.strictObject({
      failure: v.pipe(v.number(), v.integer()),
      code: v.optional(written),
      expire: v.optional(v.pipe(v.number(), v.integer())),
    }),
    v.strictObject({ http_status: v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(599)) }),
    v.strictObject({ corrupt: v.literal(true) }),
  ],
  'must be drop, duplicate, cut, unanswered or one of { delay_ms }, { query_error: [code, text] }, { ack_error }, { stream_error }, { failure, code?, expire? }, { http_status }, { corrupt: true }',
)

export const NewFault = v.strictObject({
  on: v.picklist([
    'connect',
    'handshake',
    'login',
    'pairing',
    'query',
    'message',
    'receipt',
    'presence',
    'call',
    'ib',
    'upload',
    'download',
  ]),
  match: v.optional(v.record(v.string(), written)),
  do: FaultDo,
  times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
})

const attributes = v.record(v.string(), written)

const matchFields = {
  account: v.optional(Phone),
  conn: v.optional(text),
  tag: v.optional(text),
  type: v.optional(text),
  xmlns: v.optional(text),
  child: v.optional(text),
}
const sender = v.picklist(['client', 'server'])

/** The schema has no attributes, because a query string cannot express them. */
export const TraceQuery = v.strictObject({ from: v.optional(sender), ...matchFields })

/** The schema has no `from`, because queries always come from a client. */
const QueryMatch = v.strictObject({ ...matchFields, attrs: v.optional(attributes), child_attrs: v.optional(attributes) })
const AnyMatch = v.strictObject({ from: v.optional(sender), ...QueryMatch.entries })

/** Longest wait in ms. A caller who wants to wait longer repeats the request. */
const MAX_WAIT = 60_000

export const Expect = v.strictObject({
  match: AnyMatch,
  count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000)), 1),
  /** Time to wait in ms. If it is 0, the request is answered immediately, with an id for a later request. */
  wait_ms: v.optional(v.pipe(count, v.maxValue(MAX_WAIT)), 10_000),
})
export const ExpectedQuery = v.strictObject({ wait_ms: v.optional(numberInQuery(0, MAX_WAIT), '10000') })

export const Push = v.pipe(
  v.strictObject({
    phone: v.optional(Phone),
    conn: v.optional(text),
    node: StanzaSchema,
    keep: v.optional(v.boolean()),
  }),
  v.check(({ phone, conn }) => (phone === undefined) !== (conn === undefined), 'exactly one of phone and conn is needed'),
)

export const PushFrames = v.strictObject({ phone: Phone, frames: v.array(v.pipe(v.string(), v.base64())) })

export const Instead = v.strictObject({
  match: QueryMatch,
  do: v.union(
    [
      v.picklist(['pass', 'nothing']),
      v.strictObject({
        error: v.union([
          v.strictTuple([v.pipe(v.number(), v.integer()), v.string()]),
          v.strictTuple([v.pipe(v.number(), v.integer()), v.string(), v.array(StanzaSchema)]),
        ]),
      }),
      v.strictObject({ result: v.array(StanzaSchema) }),
    ],
    'must be pass, nothing or one of { error: [code, text, [elements]?] }, { result: [elements] }',
  ),
  times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  skip: v.optional(count),
  apply: v.optional(v.boolean()),
})

export const NetworkChange = v.strictObject({ down: v.boolean() })
export const Forge = v.strictObject({ what: v.picklist(['root', 'leaf', 'account_signature']) })
export const Nothing = v.strictObject({})
