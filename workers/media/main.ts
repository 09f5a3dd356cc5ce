/** Stateless Piscina tasks that would stall the HTTP thread: large bodies. (`convert.ts` is the module of conversions.) */
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { inlineMedia } from '../../src/domain/media.ts'
import type { ReadLargeMessage } from '../../src/domain/tool-message.ts'
import { giveWay } from './give-way.ts'
import { type ReadBodyResult, type ReadBodyTask, readLargeBody, readMessagePieces } from './large-body.ts'

export { readLargeBody }

giveWay()

/** `result` with the decoded media of `input`, which go back as they are, not as copies. */
function moved<T extends object>(result: T, input: unknown): T {
  const buffers = inlineMedia(input).map(({ bytes }) => bytes.buffer as ArrayBuffer)
  if (buffers.length === 0) return result
  return move({
    get [transferableSymbol]() {
      return buffers as never
    },
    get [valueSymbol]() {
      return result
    },
  }) as unknown as T
}

/** As `readLargeBody`. */
export function readBodyAndMove(task: ReadBodyTask): ReadBodyResult {
  const result = readLargeBody(task)
  return 'err' in result ? result : moved(result, result.ok.input)
}

/** As `readMessagePieces`. */
export function readMessageAndMove(pieces: Uint8Array<ArrayBuffer>[]): ReadLargeMessage {
  const result = readMessagePieces(pieces)
  return 'problem' in result || 'failure' in result.call ? result : moved(result, result.call.input)
}
