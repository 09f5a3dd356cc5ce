import { Failure } from '../domain/failures.ts'

export const isUnavailable = (error: unknown) => error instanceof Failure && error.code === 'engine_unavailable'
