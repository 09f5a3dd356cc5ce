/**
 * Limits the texts to callers: each caller gets at most one in ten minutes. The times are on disk, so that a restart
 * does not cause another text.
 */
import { MINUTE } from '../../../src/domain/clock.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import type { Context } from '../context/instance-context.ts'
import { bare } from '../wire/jid.ts'

const PAUSE = 10 * MINUTE
const TIME_BYTES = 8

export interface CallAnswers {
  /** Calls `give`, which sends the text, if the caller got no text recently. `names`: all jids of the caller. */
  answer(names: readonly string[], give: () => Promise<void>): Promise<void>
  forget(): Promise<void>
}

export function createCallAnswers({
  id: instance,
  store,
  sealer,
  clock,
}: Context<'id' | 'store' | 'sealer' | 'clock'>): CallAnswers {
  const keysOf = (names: readonly string[]) => names.map((name) => keys.callAnswer(instance, sealer.blind(bare(name))))
  /** Callers are answered one after another, because many calls can be rejected at the same time. */
  let tail: Promise<unknown> = Promise.resolve()

  /**
   * Whether a text was sent within the last ten minutes. A time in the future does not count as recent, because it
   * was written before the clock was set back.
   */
  function isRecent(value: Uint8Array): boolean {
    const age = clock.now() - Number(Buffer.from(value).readBigUInt64BE())
    return age >= 0 && age < PAUSE
  }

  async function isDue(names: readonly string[]): Promise<boolean> {
    const found = await Promise.all(keysOf(names).map((key) => store.get(key)))
    return !found.some((value) => value !== undefined && isRecent(value))
  }

  async function given(names: readonly string[]) {
    const time = Buffer.alloc(TIME_BYTES)
    time.writeBigUInt64BE(BigInt(clock.now()))
    const old: Op[] = []
    for await (const [key, value] of store.range(keys.callAnswers(instance))) if (!isRecent(value)) old.push([key, null])
    await store.commit({ ops: [...old, ...keysOf(names).map((key): Op => [key, time])] })
  }

  return {
    answer(names, give) {
      const answered = tail.then(async () => {
        if (!(await isDue(names))) return
        await give()
        await given(names)
      })
      tail = answered.catch(() => {})
      return answered
    },
    forget: () => removeAll(store, keys.callAnswers(instance)),
  }
}
