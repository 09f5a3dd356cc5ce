/**
 * Prepares the media of the next queue item while the item before it is sent. The handler of the item requests each
 * file with the same key, and gets the prepared result.
 */
import { Failure } from '../../../src/domain/failures.ts'
import { isStorageFailure } from '../../../src/domain/storage-failure.ts'
import type { Session } from '../chats/session.ts'
import type { QueueOptions } from '../queue/contract.ts'
import type { StoredItem } from '../queue/item-store.ts'
import type { Once, SendContext } from './contract.ts'

export type PrepareMedia = (context: SendContext, input: never) => Promise<unknown>

export interface AheadDeps {
  /**
   * Returns the function that prepares the media of an operation. Undefined if the operation has no media, or if its
   * media is not known before the item is sent.
   */
  mediaOf(operation: string): PrepareMedia | undefined
  session(): Session | null
  contextOf(session: Session, item: StoredItem, once: Once): SendContext
  prepared(svcId: string): void | Promise<void>
}

export interface Ahead extends NonNullable<QueueOptions['ahead']> {
  /**
   * Must be called when the item is sent. The returned function gives each prepared result once, and creates missing
   * ones.
   */
  take(svcId: string, session: Session): Once
}

const nothing: Once = (_, make) => make()

interface Held {
  svcId: string
  session: Session
  results: Map<string, Promise<unknown>>
  isRunning: boolean
  isWanted: boolean
}

export function createAhead({ mediaOf, session: current, contextOf, prepared }: AheadDeps): Ahead {
  /** Items with prepared media: usually the next one, and the one whose sending has just begun. */
  const held = new Map<string, Held>()
  /**
   * Number of preparations that still run although they were given up. No other preparation begins while there is one.
   */
  let orphans = 0

  /** Returns a context in which the preparation of a removed item stops before the conversion or before the upload. */
  function whileWanted(context: SendContext, isWanted: () => boolean): SendContext {
    const { media } = context
    const check = () => {
      if (!isWanted()) throw new Failure('instance_not_connected', { message: 'The item is no longer prepared.' })
    }
    return {
      ...context,
      media: {
        ...media,
        async prepare(job) {
          check()
          return media.prepare(job)
        },
        uploadAgent() {
          check()
          return media.uploadAgent()
        },
      },
    }
  }

  async function prepare(of: Held, item: StoredItem) {
    const { svcId, session, results } = of
    const once: Once = (wish, make) => {
      const made = make()
      results.set(wish, made)
      return made
    }
    const context = whileWanted(contextOf(session, item, once), () => of.isWanted)
    await mediaOf(item.operation)?.(context, item.input as never)
    await prepared(svcId)
  }

  function forget(gone: Held) {
    held.delete(gone.svcId)
    gone.isWanted = false
    if (gone.isRunning) orphans++
  }

  return {
    wants: (operation) => mediaOf(operation) !== undefined,

    begin(item) {
      const session = current()
      if (!session?.isOpen || orphans > 0) return
      const made: Held = { svcId: item.svcId, session, results: new Map(), isRunning: true, isWanted: true }
      held.set(item.svcId, made)
      prepare(made, item)
        // The handler of the item gets this error from `results`, and then fails or tries again.
        .catch(() => {})
        .finally(() => {
          made.isRunning = false
          if (!made.isWanted) orphans--
        })
    },

    discard(svcId) {
      for (const each of svcId === undefined ? [...held.values()] : [held.get(svcId)]) if (each) forget(each)
    },

    take(svcId, session) {
      const found = held.get(svcId)
      if (found === undefined) return nothing
      if (found.session !== session) {
        forget(found)
        return nothing
      }
      held.delete(svcId)
      return givingOut(found.results)
    },
  }
}

function givingOut(results: Map<string, Promise<unknown>>): Once {
  return async <T>(wish: string, make: () => Promise<T>) => {
    const result = results.get(wish) as Promise<T> | undefined
    results.delete(wish)
    if (result === undefined) return make()
    try {
      return await result
    } catch (error) {
      if (isOfItem(error)) throw error
      return make()
    }
  }
}

/**
 * Whether the error is caused by the item. After a lost connection or a full disk it is not, so the file is prepared
 * again.
 */
const isOfItem = (error: unknown) =>
  error instanceof Failure && error.code !== 'instance_not_connected' && !isStorageFailure(error)
