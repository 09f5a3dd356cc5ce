/**
 * Thrown if a look-up in storage failed. The message did not cause this, so it must be processed again, and must not be reported as a message that
 * cannot be understood.
 */
export class LookupError extends Error {
  constructor(cause: unknown) {
    super('the lookup in storage failed', { cause })
    this.name = 'LookupError'
  }
}

/** Wraps a look-up, so that its failures can be distinguished from those of the translation itself. */
export const lookedUp =
  <A extends unknown[], R>(ask: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    try {
      return await ask(...args)
    } catch (error) {
      throw new LookupError(error)
    }
  }
