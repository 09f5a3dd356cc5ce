import * as v from 'valibot'
import { count, level, Message, Phone, text } from './values.ts'

export const NewPhone = v.strictObject({
  phone: Phone,
  name: v.optional(text),
  platform: v.optional(v.picklist(['android', 'ios', 'smba', 'smbi'])),
  verified_name: v.optional(text),
  lid: v.optional(text),
  history: v.optional(v.strictObject({ chats: count, contacts: count, messages: v.optional(count), saved: v.optional(count) })),
  /** A salt in base64, with which linked devices make tokens for new chats. */
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
  /**
   * Whether the person refuses messages of strangers: accounts that have neither a token of this person nor one made
   * with the salt of their own phone.
   */
  needs_token: v.optional(v.boolean()),
  /** The person accepts messages without decrypting them, for load tests. */
  sink: v.optional(v.boolean()),
  group_add: v.optional(v.picklist(['all', 'contacts', 'none'])),
}

export const NewContact = v.strictObject({ phone: Phone, ...contactFields })

export const ContactChange = v.strictObject(contactFields)

const damage = v.optional(v.picklist(['ciphertext', 'padding', 'content']))

/** A message of the phone to its linked devices. `proto` is the protobuf as JSON. */
export const Peer = v.strictObject({ proto: v.record(v.string(), v.unknown()), damage })

export const ContactSend = v.strictObject({
  to: text,
  message: Message,
  id: v.optional(text),
  delay_ms: v.optional(count),
  /**
   * Type of the `<unavailable>` node that linked devices get instead of the content: `fanout` (the phone has the
   * content), or `view_once`.
   */
  unavailable: v.optional(text),
  damage,
})

export const Burst = v.strictObject({
  to: text,
  count: v.pipe(v.number(), v.integer(), v.minValue(1)),
  per_second: v.optional(v.pipe(v.number(), v.gtValue(0))),
  /**
   * Time in ms after the request at which the first text is sent. If it is given, all texts are encrypted before the
   * first one is sent.
   */
  lead_ms: v.optional(count),
  text_prefix: v.string(),
})

/**
 * Restriction of an account (reach-out lock), in seconds; 0 ends it. With `silent`, the client only learns of the lock
 * when it queries it.
 */
export const Restriction = v.strictObject({ seconds: count, silent: v.optional(v.boolean(), false) })

/** A person in the phone's address book. If the name is empty, the person is removed from it. */
export const SavedContact = v.strictObject({ phone: Phone, name: v.string() })

export const Profile = v.strictObject({ name: v.optional(text), picture: v.optional(v.string()) })

/** A label of a chat. `chat` is a phone number or a JID. */
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

/**
 * The people who see the status: all contacts (`contacts`), only the listed people (`allowlist`), or all contacts
 * except the listed ones (`denylist`).
 */
export const StatusPrivacy = v.strictObject({
  setting: v.picklist(['contacts', 'allowlist', 'denylist']),
  phones: v.optional(v.array(Phone), []),
})

export const Privacy = v.strictObject({ name: text, value: text, phones: v.optional(v.array(Phone)) })

export type PhoneInput = v.InferOutput<typeof NewPhone>
export type ContactInput = v.InferOutput<typeof ContactChange>
export type CodeAction = v.InferOutput<typeof codeAction>
export type Damage = NonNullable<v.InferOutput<typeof damage>>

export interface AccountControl {
  restriction: v.InferOutput<typeof Restriction>
  contact: v.InferOutput<typeof SavedContact>
  profile: v.InferOutput<typeof Profile>
  label: v.InferOutput<typeof Label>
  action: v.InferOutput<typeof Action>
  peer: v.InferOutput<typeof Peer>
  statusPrivacy: v.InferOutput<typeof StatusPrivacy>
  privacy: v.InferOutput<typeof Privacy>
}
