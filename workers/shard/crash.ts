import { Failure } from '../../src/domain/failures.ts'
import type { CrashHow } from '../../src/engine/protocol.ts'

export function createCrash(isAllowed: boolean): (how: CrashHow) => Promise<never> {
  return async (how) => {
    if (!isAllowed) throw new Failure('not_allowed')
    switch (how) {
      case 'throw':
        queueMicrotask(() => {
          throw new Error('crash asked for by a test')
        })
        break
      case 'exit':
        process.exit(3)
        break
      case 'heap': {
        const hoard: number[][] = []
        for (;;) hoard.push(new Array(100_000).fill(hoard.length))
      }
      case 'spin':
        for (;;);
    }
    return new Promise<never>(() => {})
  }
}
