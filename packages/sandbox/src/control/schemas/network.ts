import * as v from 'valibot'
import { StanzaSchema } from '../../watch/stanza-json.ts'
import { count, level, numberInQuery, Phone, text } from './values.ts'

export const SettingsChange = v.strictObject({
  auto_contacts: v.optional(v.boolean()),
  echo: v.optional(v.boolean()),
  receipts: v.optional(level),
  receipt_delay_ms: v.optional(count),
  addressing: v.optional(v.picklist(['lid', 'pn'])),
  /** Ids of the GraphQL queries. With `older`, the network does not know the ids that older clients do not use. */
  mex_ids: v.optional(v.picklist(['today', 'older'])),
  /**
   * A device that requests a snapshot gets patches instead if the collection has at most this number of entries. By
   * default (null), there is no such limit.
   */
  snapshots_above: v.optional(v.nullable(count)),
  /**
   * `required`: after the first few, waiting stanzas are only sent in the batches that the client requests. `optional`
   * (the default): the network also sends one more stanza for each stanza that the client confirms.
   */
  offline_batches: v.optional(v.picklist(['optional', 'required'])),
})

const written = v.pipe(v.union([v.string(), v.number(), v.boolean()]), v.transform(String))

/** Actions of a fault. With `unanswered`, the network handles the stanza, but ends the connection before it answers. */
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
    /**
     * The notifications before and after the waiting stanzas: `offline_preview` and `offline`. They can only be
     * dropped.
     */
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

/** Query string of a trace. It has no `attrs`, because a query string cannot express attributes. */
export const TraceQuery = v.strictObject({ from: v.optional(sender), ...matchFields })

/** Selects queries. It has no `from`, because queries always come from a client. */
const QueryMatch = v.strictObject({ ...matchFields, attrs: v.optional(attributes), child_attrs: v.optional(attributes) })

const AnyMatch = v.strictObject({ from: v.optional(sender), ...QueryMatch.entries })

/** Longest wait in ms. A caller who wants to wait longer reads the same expectation again (`GET /expect/:id`). */
const MAX_WAIT = 60_000

export const Expect = v.strictObject({
  match: AnyMatch,
  count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000)), 1),
  wait_ms: v.optional(v.pipe(count, v.maxValue(MAX_WAIT)), 10_000),
})

export const ExpectedQuery = v.strictObject({ wait_ms: v.optional(numberInQuery(0, MAX_WAIT), '10000') })

/**
 * A stanza that is sent to all connected devices of an account, or on one connection. With `keep`, it is also queued
 * for devices that are not connected.
 */
export const Push = v.pipe(
  v.strictObject({
    phone: v.optional(Phone),
    conn: v.optional(text),
    node: StanzaSchema,
    keep: v.optional(v.boolean()),
  }),
  v.check(({ phone, conn }) => (phone === undefined) !== (conn === undefined), 'exactly one of phone and conn is needed'),
)

export const PushFrames = v.strictObject({
  phone: Phone,
  frames: v.array(v.pipe(v.string(), v.base64())),
})

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

export const Anything = v.record(v.string(), v.unknown())

export const Nothing = v.strictObject({})

export type FaultAction = v.InferOutput<typeof FaultDo>
export type FaultInput = v.InferOutput<typeof NewFault>
export type PushInput = v.InferOutput<typeof Push>
export type FramesInput = v.InferOutput<typeof PushFrames>

type Defined<T> = { [K in keyof T]-?: Exclude<T[K], undefined> }
export type Settings = Defined<v.InferOutput<typeof SettingsChange>>
