/**
 * A WebAssembly module that trapped (a Rust panic) stays in an inconsistent state: some objects count as borrowed forever, and memory may be
 * half-written. All sessions of the thread share one module, so the thread ends, and the supervisor starts another with a new module.
 */
// TypeScript declares the global `WebAssembly` only in its library for browsers (`dom`).
const { RuntimeError } = (globalThis as unknown as { WebAssembly: { RuntimeError: new () => Error } }).WebAssembly

export const isTrap = (error: unknown): boolean => error instanceof RuntimeError

/** Call this function with a caught error that may be a trap. It rethrows a trap to the thread's handlers (`rejections.ts`), which end the thread. */
export function escalateTrap(error: unknown): void {
  if (!isTrap(error)) return
  queueMicrotask(() => {
    throw error
  })
}
