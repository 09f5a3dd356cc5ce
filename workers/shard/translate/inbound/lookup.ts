/**
 * Thrown if a look-up in the storage failed. The message must then be processed again, and not be reported as
 * unsupported.
 */
export class LookupError extends Error {
  constructor(cause: unknown) {
    super('the lookup in storage failed', { cause })
    this.name = 'LookupError'
  }
}

export const lookedUp =
  <A extends unknown[], R>(ask: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    try {
      return await ask(...args)
    } catch (error) {
      throw new LookupError(error)
    }
  }
