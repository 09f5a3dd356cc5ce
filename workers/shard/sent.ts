/**
 * Sent messages, kept encrypted for the recipients' retry receipts ("Waiting for this message"), so that a retry can be answered after a
 * restart too: at most 24 h, and a bounded number. Written before the network call.
 */
import { proto } from '@whiskeysockets/baileys'
import { type Clock, DAY, HOUR } from '../../src/domain/clock.ts'
import type { Op, StateStore } from '../../src/storage/contract.ts'
import { keys } from '../../src/storage/keys.ts'
import type { Sealer } from '../../src/storage/seal.ts'

const MAX_AGE = DAY
const SWEEP_EVERY = HOUR
/** Time of writing, epoch ms, before the sealed protobuf: the sweep need not open what it removes. */
const TIME_BYTES = 8

export interface Sent {
  put(messageId: string, message: proto.IMessage): Promise<void>
  get(messageId: string): Promise<proto.IMessage | undefined>
  start(): void
  stop(): void
}

export function createSent(instance: string, store: StateStore, sealer: Sealer, clock: Clock): Sent {
  let timer: NodeJS.Timeout | undefined

  const age = (value: Uint8Array) =>
    clock.now() - Number(Buffer.from(value.buffer, value.byteOffset, TIME_BYTES).readBigUInt64BE())

  async function sweep() {
    const ops: Op[] = []
    for await (const [key, value] of store.range(keys.sents(instance))) if (age(value) > MAX_AGE) ops.push([key, null])
    if (ops.length > 0) await store.commit({ ops })
  }

  return {
    async put(messageId, message) {
      const key = keys.sent(instance, messageId)
      const time = Buffer.alloc(TIME_BYTES)
      time.writeBigUInt64BE(BigInt(clock.now()))
      await store.commit({ ops: [[key, Buffer.concat([time, sealer.seal(key, proto.Message.encode(message).finish())])]] })
    },
    async get(messageId) {
      const key = keys.sent(instance, messageId)
      const value = await store.get(key)
      if (!value || age(value) > MAX_AGE) return undefined
      return proto.Message.decode(sealer.open(key, value.subarray(TIME_BYTES)))
    },
    start() {
      timer = setInterval(() => void sweep(), SWEEP_EVERY)
      timer.unref()
      void sweep()
    },
    stop() {
      clearInterval(timer)
    },
  }
}
