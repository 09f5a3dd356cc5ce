/**
 * Returns memory to the system that V8 took while the modules of this thread were loaded. The young generation has then grown to its full size and is
 * nearly empty, but V8 keeps its pages until the machine runs out of memory. This call makes V8 release them. It blocks the thread for about 50 ms
 * with the few MB of a start, and longer with more.
 */
import { Session } from 'node:inspector'

export function spareMemory(): Promise<void> {
  const session = new Session()
  session.connect()
  return new Promise((resolve) =>
    // Nothing depends on the success of this call, so errors are ignored. The session is closed later, because closing it in its own callback hangs
    // the thread.
    session.post('HeapProfiler.collectGarbage', () =>
      setImmediate(() => {
        session.disconnect()
        resolve()
      }),
    ),
  )
}
