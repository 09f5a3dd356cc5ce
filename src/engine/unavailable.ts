import { Failure } from '../domain/failures.ts'

/** Whether a call failed because its shard is down. */
export const isUnavailable = (error: unknown) => error instanceof Failure && error.code === 'engine_unavailable'
