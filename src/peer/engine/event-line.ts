/** One line of the stream of events. The first line has all states, and later lines have the changes. */
import * as v from 'valibot'
import { type RuntimeState, STATUSES } from '../../domain/instance.ts'
import { failureCode } from './peer-command.ts'

/**
 * State of an instance. A status that only a newer release knows (another member during an upgrade) becomes
 * `disconnected`.
 */
const state = v.looseObject({
  status: v.fallback(v.picklist(STATUSES), 'disconnected'),
}) as unknown as v.GenericSchema<RuntimeState>
const outcome = v.variant('status', [
  v.object({ status: v.literal('sent'), phone: v.exactOptional(v.string()) }),
  v.object({ status: v.literal('failed'), code: failureCode, message: v.string() }),
  v.object({ status: v.literal('removed') }),
])
const outcomes = v.pipe(
  v.array(v.unknown()),
  v.transform((entries) =>
    entries.flatMap((entry) => {
      const found = v.safeParse(v.tuple([v.string(), outcome]), entry)
      return found.success ? [found.output] : []
    }),
  ),
)
const instances = v.exactOptional(v.array(v.string()))
const uses = v.exactOptional(v.fallback(v.array(v.tuple([v.string(), v.pipe(v.number(), v.minValue(0))])), []))

const EventLine = v.object({
  /** True in the first line of a stream. */
  isFirst: v.exactOptional(v.boolean()),
  states: v.exactOptional(v.array(v.tuple([v.string(), state]))),
  /** Instances that no longer run in the service. */
  gone: instances,
  /** Outcomes of sends, each with the id of its message. Outcomes that this release does not understand are dropped. */
  outcomes: v.exactOptional(outcomes),
  /** Sequence number of the newest outcome that was sent with this line or an earlier one. */
  last: v.exactOptional(v.number()),
  /** Instances with new events. */
  events: instances,
  /** Instances with new files. */
  files: instances,
  /**
   * Requests that the service has allowed since its last line with this property, for limits that all services count
   * together.
   */
  uses,
})
export type EventLine = v.InferOutput<typeof EventLine>

/** Characters that JSON does not escape, although the line reader of newer versions of Node ends a line at them. */
const SEPARATORS = /[\u2028\u2029]/g
export const textOf = (line: EventLine): string =>
  JSON.stringify(line).replace(SEPARATORS, (each) => `\\u${each.charCodeAt(0).toString(16)}`)

/**
 * Parses a line. Returns undefined if this release does not understand it, or if it is incomplete because the
 * connection was cut.
 */
export function lineIn(text: string): EventLine | undefined {
  try {
    return v.parse(EventLine, JSON.parse(text))
  } catch {
    return undefined
  }
}
