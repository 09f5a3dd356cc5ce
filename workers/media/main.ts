/** Stateless Piscina tasks that would stall the HTTP thread: large bodies. (`convert.ts` is the door to conversions.) */
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { inlineMedia } from '../../src/domain/media.ts'
import { giveWay } from './give-way.ts'
import { type ReadBodyResult, type ReadBodyTask, readLargeBody } from './large-body.ts'

export { readLargeBody }

giveWay()

/** As `readLargeBody`; decoded media go back as they are, not as copies. */
export function readBodyAndMove(task: ReadBodyTask): ReadBodyResult {
  const result = readLargeBody(task)
  if ('err' in result) return result
  const buffers = [...inlineMedia(result.ok.input)].map(({ bytes }) => bytes.buffer as ArrayBuffer)
  if (buffers.length === 0) return result
  return move({
    get [transferableSymbol]() {
      return buffers as never
    },
    get [valueSymbol]() {
      return result
    },
  }) as unknown as ReadBodyResult
}
