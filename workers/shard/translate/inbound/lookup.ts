/**
 * What translation asks of storage. A read that fails there says nothing about the message: it must not be told as one that cannot be
 * understood, but taken again.
 */
export class LookupError extends Error {
  constructor(cause: unknown) {
    super('storage could not be asked', { cause })
    this.name = 'LookupError'
  }
}

/** The same questions, whose failures can be told from those of the translation itself. */
export const lookedUp =
  <A extends unknown[], R>(ask: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    try {
      return await ask(...args)
    } catch (error) {
      throw new LookupError(error)
    }
  }
