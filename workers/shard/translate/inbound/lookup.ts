/**
 * The storage lookups of translation. A failed read is no failure of the message: it must not be reported as one that cannot be understood,
 * but taken again.
 */
export class LookupError extends Error {
  constructor(cause: unknown) {
    super('the lookup in storage failed', { cause })
    this.name = 'LookupError'
  }
}

/** The same lookups, with failures that are distinct from those of the translation itself. */
export const lookedUp =
  <A extends unknown[], R>(ask: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    try {
      return await ask(...args)
    } catch (error) {
      throw new LookupError(error)
    }
  }
