/** How full the disk is, as every thread knows it (`storage/disk.ts`). */

/** `low`: below the operator's mark, and no new message is taken. `full`: nothing can be written. */
export type DiskState = 'ok' | 'low' | 'full'

/** Memory shared by all threads: handed to each when it is made. */
export interface SharedDisk {
  /** One number: the place of the state in its table. */
  state: Int32Array
  /** Bytes that commits under way may need, a number for each thread that has the store open. Main's is the first. */
  claims: BigInt64Array
  /** One number: when a commit failed, epoch ms; 0 as soon as one is taken. */
  failedAt: BigInt64Array
}
