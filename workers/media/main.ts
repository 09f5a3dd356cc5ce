/** Runs tasks that would block the HTTP thread: parsing of large bodies while they arrive. */
import type { MessagePort } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import type { BodyHeld, BodyNews } from '../../src/domain/large-body.ts'
import { inlineMedia } from '../../src/domain/media.ts'
import type { ReadLargeMessage } from '../../src/domain/tool-message.ts'
import { giveBack } from '../../src/lib/give-back.ts'
import { giveWay } from './give-way.ts'
import { type ReadBodyResult, type ReadBodyTask, readLargeBody, readMessage } from './large-body.ts'
import { StreamedJson } from './streamed-json.ts'

giveWay()

const buffersOf = (input: unknown): ArrayBuffer[] => inlineMedia(input).map(({ bytes }) => bytes.buffer as ArrayBuffer)

/** Transfers the decoded media of the input to the main thread, instead of copying them. */
function moved<T extends object>(result: T, buffers: ArrayBuffer[]): T {
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

type Make<T> = (body: StreamedJson) => { result: T; input: unknown }

/**
 * Reads a body from the port while it arrives, and then calls `make`. Resolves with undefined if the main thread has
 * closed the port.
 */
function reading<T extends object>(port: MessagePort, make: Make<T>): Promise<T | undefined> {
  const body = new StreamedJson()
  return new Promise((resolve, reject) => {
    let isEnded = false
    function end(result: T | undefined, kept: ArrayBuffer[] = []) {
      if (isEnded) return
      isEnded = true
      body.free(new Set(kept))
      resolve(result && moved(result, kept))
      port.close()
    }
    port.on('close', () => end(undefined))
    port.on('message', (news: BodyNews) => {
      try {
        if (news !== 'end') {
          for (const piece of news) body.push(piece)
          giveBack(news)
        }
        // The size is posted in the next turn of the event loop, because freed buffers are returned to the system only
        // at the end of a turn.
        setImmediate(() => port.postMessage(body.held satisfies BodyHeld))
        if (news !== 'end' && !body.isRefused) return
        const { result, input } = make(body)
        end(result, buffersOf(input))
      } catch (error) {
        reject(error)
      }
    })
  })
}

export const readBody = ({ port, ...task }: ReadBodyTask & { port: MessagePort }): Promise<ReadBodyResult | undefined> =>
  reading(port, (body) => {
    const result = readLargeBody(task, body)
    return { result, input: 'ok' in result ? result.ok.input : undefined }
  })

export const readToolMessage = ({ port }: { port: MessagePort }): Promise<ReadLargeMessage | undefined> =>
  reading(port, (body) => {
    const result = readMessage(body)
    return { result, input: 'call' in result && 'input' in result.call ? result.call.input : undefined }
  })
