import { Failure } from '../domain/failures.ts'

export const isUnavailable = (error: unknown) => error instanceof Failure && error.code === 'engine_unavailable'

/** Thrown if no thread of this service has the instance. Nothing of the call was carried out. */
export class NotHosted extends Failure {
  constructor() {
    super('engine_unavailable')
  }
}
