/**
 * Keeps the calls that are ringing. Only the offer of a call says whether it is a video call, so the call is stored
 * on disk until it ends.
 */
import * as v from 'valibot'
import { DAY, SECOND } from '../../../src/domain/clock.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Context } from '../context/instance-context.ts'
import { secondsOf } from '../wire/bounds.ts'
import type { CallStanza } from '../wire/call.ts'

const Call = v.object({
  id: v.string(),
  /** Jid of the caller; `alt` is the caller's other jid (number or LID). */
  from: v.string(),
  alt: v.optional(v.string()),
  group: v.nullable(v.string()),
  isVideo: v.boolean(),
  /** Epoch seconds. */
  timestamp: v.number(),
  /** Whether the call is being rejected and the result is not on disk yet. */
  isRejecting: v.optional(v.literal(true)),
})
export type Call = v.InferOutput<typeof Call>

export const callOf = ({ id, from, alt, group, isVideo, t }: CallStanza, now: number): Call => ({
  id,
  from,
  ...(alt ? { alt } : {}),
  group,
  isVideo,
  timestamp: secondsOf(t, now),
})

export function createRingingCalls({
  id: instance,
  store,
  sealer,
  clock,
  log,
}: Context<'id' | 'store' | 'sealer' | 'clock' | 'log'>) {
  const records = repository({ name: 'ringing call', schema: Call, version: 1, sealed: sealer })
  const ringing = new Map<string, Call>()
  /**
   * Returns the operation that removes a call. The record's key contains a hash of the call's id: the device that calls
   * chooses the id, which may contain characters that a key cannot have.
   */
  const removal = (id: string): Op => records.remove(keys.call(instance, sealer.blind(id)))

  /** Whether a call is so old that the stanza that ends it can no longer arrive. */
  const isStale = ({ timestamp }: Call) => clock.now() - timestamp * SECOND > DAY

  return {
    get: (id: string) => ringing.get(id),
    all: () => ringing.values(),
    removal,
    gone: (id: string) => ringing.delete(id),

    async load(): Promise<void> {
      const old: Op[] = []
      const onUnreadable = (error: unknown) =>
        log.error({ err: error }, 'a stored ringing call could not be decoded; it was skipped')
      for await (const { key, value } of records.list(store, keys.calls(instance), { onUnreadable })) {
        if (isStale(value)) old.push([key, null])
        else ringing.set(value.id, value)
      }
      if (old.length > 0) await store.commit({ ops: old })
    },

    async put(call: Call): Promise<void> {
      const old = [...ringing.values()].filter(isStale)
      ringing.set(call.id, call)
      const op = records.encode(keys.call(instance, sealer.blind(call.id)), call)
      await store.commit({ ops: [...old.map(({ id }) => removal(id)), op] })
      for (const { id } of old) ringing.delete(id)
    },

    async remove(id: string): Promise<void> {
      if (ringing.delete(id)) await store.commit({ ops: [removal(id)] })
    },

    async forget(): Promise<void> {
      await removeAll(store, keys.calls(instance))
      ringing.clear()
    },
  }
}
