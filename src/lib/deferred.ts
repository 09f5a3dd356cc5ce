export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(cause: unknown): void
}

/** Returns a promise with the functions that settle it. Node 20 has no `Promise.withResolvers`. */
export function deferred<T = void>(): Deferred<T> {
  const made = {} as { promise: Promise<T> } & Omit<Deferred<T>, 'promise'>
  made.promise = new Promise<T>((resolve, reject) => Object.assign(made, { resolve, reject }))
  return made
}
