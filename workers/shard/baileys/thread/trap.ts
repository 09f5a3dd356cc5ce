/**
 * A WebAssembly module that trapped (a Rust panic) stays as it was in the middle of its work: borrowed objects, half-written memory. All
 * sessions of the thread share the one module, so the thread ends and the supervisor brings up the next, with a new one.
 */
// The compiler knows this global only with the browser's library.
const { RuntimeError } = (globalThis as unknown as { WebAssembly: { RuntimeError: new () => Error } }).WebAssembly

export const isTrap = (error: unknown): boolean => error instanceof RuntimeError

/** Call with a caught error that may be a trap: rethrows it to the thread's handlers (`rejections.ts`), which end the thread. */
export function escalateTrap(error: unknown): void {
  if (!isTrap(error)) return
  queueMicrotask(() => {
    throw error
  })
}
