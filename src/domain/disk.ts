/** State of the disk that every thread sees (`storage/disk.ts`). */

/** State of the disk. `low`: less space is free than the operator's limit, and new messages are refused. `full`: nothing can be written. */
export type DiskState = 'ok' | 'low' | 'full'

/** Memory that all threads share; each thread gets it when it is created. */
export interface SharedDisk {
  /** An array of one number: the index of the state in the table of states. */
  state: Int32Array
  /**
   * Number of bytes that running commits may need; the array has one number per thread that has the store open. The first number is that of the main
   * thread.
   */
  claims: BigInt64Array
  /** An array of one number: the time of the last failed commit in epoch ms; 0 after a commit succeeds. */
  failedAt: BigInt64Array
}
