/**
 * Gives back to the system what V8 took while the modules of this thread were loaded. The young generation has grown to its full size by then,
 * with next to nothing in it, and V8 keeps its pages until the memory of the machine runs out: this is the call that says so. It holds the
 * thread for some 50 ms with the few MB of a start, and for long with more.
 */
import { Session } from 'node:inspector'

export function spareMemory(): Promise<void> {
  const session = new Session()
  session.connect()
  return new Promise((resolve) =>
    // Nothing depends on its success. A session that ends in its own callback hangs the thread.
    session.post('HeapProfiler.collectGarbage', () =>
      setImmediate(() => {
        session.disconnect()
        resolve()
      }),
    ),
  )
}
