import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { isMediaFailure, isStorageFailure } from '../../../src/domain/storage-failure.ts'
import type { AttemptCounter } from './attempt-counter.ts'
import { type QueueOptions, resultOf, type SendResult, TryLater } from './contract.ts'
import type { Waiting } from './item.ts'
import type { ItemStore } from './item-store.ts'

export interface AttemptDeps extends Pick<QueueOptions, 'instanceId' | 'clock' | 'send' | 'isOpen' | 'log' | 'steps'> {
  items: ItemStore
  counter: AttemptCounter
  signal: AbortSignal
}

/**
 * Returns `back` if there was no connection: the item becomes the first one again. Returns `laterMs` if the item was
 * not sent and must be retried after this time. Rejects if the storage fails or the service stops: the outcome is then
 * unknown.
 */
export type Attempt = (item: Waiting) => Promise<SendResult | 'back' | { laterMs: number }>

/**
 * Pause in ms before the next attempt of an item whose media could not be read. Other items are sent in the meantime.
 */
const MEDIA_PAUSE = 5 * SECOND

const failed = (message: string) => resultOf({ status: 'failed', code: 'send_failed', message })

export function createAttempt({ instanceId, clock, send, isOpen, log, steps, items, counter, signal }: AttemptDeps): Attempt {
  return async function attempt(item) {
    const { svcId, operation, wasTried } = item
    const postponed = (error: unknown, afterMs: number) => {
      log.info(
        { instance_id: instanceId, svc_id: svcId, operation, err: error, retry_in_ms: afterMs },
        'queue: an item was postponed; it is tried again later',
      )
      return { laterMs: afterMs }
    }
    const stored = await items.load(svcId).catch((error: unknown) => {
      if (isMediaFailure(error)) return postponed(error, MEDIA_PAUSE)
      throw error
    })
    if (stored !== undefined && 'laterMs' in stored) return stored
    if (stored === undefined) return failed('The stored message could not be read.')
    const turn = await counter.begin(svcId)
    if (turn === 'spent') {
      log.error(
        { instance_id: instanceId, svc_id: svcId, operation },
        'queue: an item was given up because the service ended at every attempt to send it',
      )
      return failed('The service ended each time it was about to send this message.')
    }
    await steps('queue:before-send', svcId)
    try {
      if (isOpen()) item.leftAt = clock.now()
      return await send({
        ...stored,
        again: turn === 'again' || wasTried === true,
        mayHaveLeft: item.mayHaveLeft === true,
        leaves() {
          item.mayHaveLeft = true
        },
        stays() {
          item.mayHaveLeft = false
        },
      })
    } catch (error) {
      if (error instanceof TryLater) return postponed(error, error.afterMs)
      if (isMediaFailure(error)) return postponed(error, MEDIA_PAUSE)
      const isBack = error instanceof Failure && error.code === 'instance_not_connected'
      if (isBack && (!isOpen() || counter.mayComeBack())) return 'back'
      if (signal.aborted || isStorageFailure(error)) throw error
      log.error(
        { instance_id: instanceId, svc_id: svcId, operation, err: error },
        'queue: an item could not be sent because of an unexpected error',
      )
      // Each attempt of this item loses the connection. So the item fails, and does not block the others.
      if (isBack) return failed('The message could not be sent: the connection was lost at every attempt.')
      const { code, message } = error instanceof Failure ? error : new Failure('send_failed')
      return resultOf({ status: 'failed', code, message })
    }
  }
}
