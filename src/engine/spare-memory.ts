/**
 * Returns unused memory of V8 to the system. The call blocks the thread for about 50 ms after a start, and longer with
 * more memory.
 */
import { Session } from 'node:inspector'

export function spareMemory(): Promise<void> {
  const session = new Session()
  session.connect()
  return new Promise((resolve) =>
    // Nothing depends on this call, so errors are ignored. Closing the session in its own callback hangs the thread.
    session.post('HeapProfiler.collectGarbage', () =>
      setImmediate(() => {
        session.disconnect()
        resolve()
      }),
    ),
  )
}
