/**
 * Writes the changes of tables to disk after they were made in memory: with the next commit of the instance (`rides`), or with a `flush`. Changes
 * that could not be written stay, and are written with the next ones.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Deferred, deferred } from '../../../src/lib/deferred.ts'
import type { Op, Rider } from '../../../src/storage/contract.ts'
import type { Context } from '../context/instance-context.ts'
import type { Table } from './table.ts'

type Tables = readonly Pick<Table<never>, 'hasChanged' | 'newestOps' | 'ops' | 'notWritten'>[]

export interface WriteBehind {
  /** For the store of the instance, whose commits include the changes. */
  readonly rides: Rider
  /** Resolves when all changes so far are on disk. Rejects if they could not be written. */
  flush(): Promise<void>
  /** Starts a flush that no caller waits for; a failure is logged. */
  flushBehind(): void
  /** Resolves when no flush is running. Never rejects. */
  idle(): Promise<void>
}

/** `unwritten`: text of the log if a flush that no caller waits for has failed. */
export function createWriteBehind({ store, log }: Context<'store' | 'log'>, tables: Tables, unwritten: string): WriteBehind {
  const writing = new Set<Promise<void>>()
  /** Commits of others that include changes of the tables; resolved when they have ended. */
  const riding = new Map<readonly Op[], Deferred<void>>()

  function notWritten(ops: readonly Op[]) {
    for (const table of tables) table.notWritten(ops)
  }

  async function write(): Promise<void> {
    const ops = tables.flatMap((table) => table.ops())
    if (ops.length === 0) return
    try {
      await store.commit({ ops })
    } catch (error) {
      notWritten(ops)
      throw error
    }
    if (!tables.some(({ hasChanged }) => hasChanged)) return
    await nextTurn()
    await write()
  }

  async function flush(): Promise<void> {
    const others = [...riding.values()].map(({ promise }) => promise)
    const written = write()
    writing.add(written)
    written.catch(() => {}).finally(() => writing.delete(written))
    await Promise.all([...writing])
    if (others.length === 0) return
    await Promise.all(others)
    // Writes changes that a commit of others could not write.
    await write()
  }

  return {
    rides: {
      take() {
        // Only the newest changes are taken along: a history changes more than a message should wait for.
        const ops = tables.flatMap((table) => (table.hasChanged ? table.newestOps() : []))
        if (ops.length === 0) return ops
        riding.set(ops, deferred())
        return ops
      },
      settled(ops, isWritten) {
        if (!isWritten) notWritten(ops)
        riding.get(ops)?.resolve()
        riding.delete(ops)
      },
    },
    flush,
    flushBehind: () => void flush().catch((error) => log.error({ err: error }, unwritten)),
    async idle() {
      await Promise.allSettled([...writing])
    },
  }
}
