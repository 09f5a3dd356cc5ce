/**
 * The followed families of records (`families.ts`), which the main thread has in memory. The service changes them only
 * through `MainRecords`.
 *
 * If several services can use the store, a change is stored only if it was decided on the newest records
 * (`shared-records.ts`). If only this machine can use the store, only operator commands change records beside the
 * service (`own-records.ts`).
 */
import type { Op } from '../contract.ts'
import type { FollowedFamily } from './families.ts'

/**
 * Keeps one family of records in memory. Its methods are called in the order in which the changes were stored, by this
 * service or by others.
 */
export interface Memory {
  /**
   * Throws if the record cannot be read. `isOwn` is false for a change by another service or by a command, and for a
   * change of this service whose answer from the store was late.
   */
  put(key: string, bytes: Uint8Array, isOwn: boolean): void
  /** Removes a record, if it is in memory. */
  remove(key: string, isOwn: boolean): void
  /**
   * Called after `put` has thrown in a store that services share, because the old content must no longer be used. If it
   * is absent, `remove` is called.
   */
  unreadable?(key: string): void
}

export type StoredRecords = readonly (readonly [key: string, bytes: Uint8Array])[]

export interface RecordChange {
  /** Operations to write. If there are none, nothing is written, and `committed` is not called. */
  ops: readonly Op[]
  /** Called when the change is stored and the memory has it; not called if the change was refused. */
  committed?: (() => void) | undefined
}

export interface MainRecords {
  /** True if other services can change the records. */
  readonly isShared: boolean
  /**
   * Reads a family at the start, and changes its memory from then on. `fill` gets all records in the order of their
   * keys.
   */
  load(family: FollowedFamily, memory: Memory, fill: (found: StoredRecords) => void): Promise<void>
  /**
   * Changes records. `decide` reads the memory and returns what to write; if it throws, nothing is written. It must
   * have no effects, because it is called again if another service or a command was first. `besideCommands` is the key
   * of a record that an operator command may change at any time; the change must include this record.
   */
  change(decide: () => RecordChange | Promise<RecordChange>, besideCommands?: string): Promise<void>
  /** Resolves when the memory has all changes that other services had stored before the call. */
  catchUp(): Promise<void>
  /** Resolves when the memory has all changes that other services and operator commands had stored before the call. */
  refresh(): Promise<void>
  /** Catches up regularly until the returned function is called. */
  follow(everyMs: number): () => void
  /** Resolves when all changes that were begun have ended; at once if only this machine can use the store. */
  idle(): Promise<void>
}
