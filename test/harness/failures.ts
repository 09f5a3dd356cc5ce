/** Checks the error code of a `Failure`, for `assert.throws` and `assert.rejects`. */
import { Failure } from '../../src/domain/failures.ts'

export const failsWith = (code: string) => (error: unknown) => error instanceof Failure && error.code === code
