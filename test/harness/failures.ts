/** Checks of failures in `assert.throws` and `assert.rejects`. */
import { Failure } from '../../src/domain/failures.ts'

export const failsWith = (code: string) => (error: unknown) => error instanceof Failure && error.code === code
