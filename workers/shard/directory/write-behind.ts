/**
 * Writes the changes of tables after they were made in memory: with the next commit of the instance, or with a `flush`.
 * Changes that could not be written are written with the next ones.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Deferred, deferred } from '../../../src/lib/deferred.ts'
import type { Op, Rider } from '../../../src/storage/contract.ts'
import type { Context } from '../context/instance-context.ts'
import type { Table } from './table.ts'

type Tables = readonly Pick<Table<never>, 'hasChanged' | 'newestOps' | 'ops' | 'notWritten'>[]

export interface WriteBehind {
  readonly rides: Rider
  /** Resolves when all changes so far are on disk. Rejects if they could not be written. */
  flush(): Promise<void>
  flushBehind(): void
  /** Resolves when the flushes that run at the time of the call have ended. Never rejects. */
  idle(): Promise<void>
}

export function createWriteBehind({ store, log }: Context<'store' | 'log'>, tables: Tables, unwritten: string): WriteBehind {
  const writing = new Set<Promise<void>>()
  const flushing = new Set<Promise<void>>()
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

  function flush(): Promise<void> {
    const flushed = writeAll()
    flushing.add(flushed)
    flushed.catch(() => {}).finally(() => flushing.delete(flushed))
    return flushed
  }

  async function writeAll(): Promise<void> {
    const others = [...riding.values()].map(({ promise }) => promise)
    const written = write()
    writing.add(written)
    written.catch(() => {}).finally(() => writing.delete(written))
    await Promise.all([...writing])
    if (others.length === 0) return
    await Promise.all(others)
    // If one of the awaited commits has failed, its changes are not written yet, and are written here.
    await write()
  }

  return {
    rides: {
      take() {
        // The phone's history changes very many records, and a message would wait too long if its commit contained all
        // of them. So only the newest changes are added.
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
      await Promise.allSettled([...flushing])
    },
  }
}
