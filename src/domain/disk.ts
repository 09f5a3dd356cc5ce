/**
 * State of the disk. `low`: less space is free than the operator's limit, and new messages are refused. `full`: nothing
 * can be written.
 */
export type DiskState = 'ok' | 'low' | 'full'

/** State of the disk in memory that the main thread shares with the shard threads and the thread for archives. */
export interface SharedDisk {
  /** One number: the index of the state in the list of states. */
  state: Int32Array
  /**
   * Number of bytes that running commits may need, one element for each of these threads. The first element is that of
   * the main thread.
   */
  claims: BigInt64Array
  /** One number: the time of the last failed commit in epoch ms; 0 after a commit succeeds. */
  failedAt: BigInt64Array
}
