/** Process of a bench that measures the disk, with the same preloaded library as the service. */
import { answerCalls } from './calls.ts'
import { syncTimes } from './disk.ts'

const calls = { syncTimes }
export type Syncing = typeof calls
answerCalls(calls)
