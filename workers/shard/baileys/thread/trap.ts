/**
 * A WebAssembly module that trapped (a Rust panic) stays in an inconsistent state, and all sessions of the thread share
 * it. So the thread ends, and another one starts with a new module.
 */
// TypeScript declares the global `WebAssembly` in its libraries for browsers, which are not used here. So its type is
// declared here.
const { RuntimeError } = (globalThis as unknown as { WebAssembly: { RuntimeError: new () => Error } }).WebAssembly

export const isTrap = (error: unknown): boolean => error instanceof RuntimeError

/** Rethrows a trap to the thread's handlers, which end the thread. Call it with a caught error that may be a trap. */
export function escalateTrap(error: unknown): void {
  if (!isTrap(error)) return
  queueMicrotask(() => {
    throw error
  })
}
