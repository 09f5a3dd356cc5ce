/**
 * Receives a download on the main thread: pieces of a file arrive over a port and leave as a stream, as fast as they
 * are read.
 */
import type { MessagePort } from 'node:worker_threads'
import { MINUTE } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import { type FileNews, MORE, type OpenFile } from '../domain/file-download.ts'

/**
 * Milliseconds after which a reader that accepts no bytes counts as gone or stuck. Common proxies use the same limit.
 */
const READER_SILENCE = MINUTE
/**
 * Delay in ms before an error of the stream is reported, so that the head of the response is sent first. Without the
 * delay, the HTTP adapter would answer 500 with the error's text.
 */
const HEAD_FIRST = 50

/** Streams a file. `work` rejects if the thread dies, and otherwise settles after the last message of the port. */
export function incomingFile(
  port: MessagePort,
  work: Promise<void>,
  signal: AbortSignal,
  silenceMs = READER_SILENCE,
): ReturnType<OpenFile> {
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = []
    let ending: { error?: Error } | undefined
    let wake = () => {}
    let isAwaited = false
    let controller: ReadableStreamDefaultController<Uint8Array>
    let letGo: () => void
    const ended = new Promise<void>((resolve) => {
      letGo = resolve
    })

    function end(how: { error?: Error } = {}) {
      if (ending) return
      ending = how
      port.close()
      signal.removeEventListener('abort', onAbort)
      if (how.error) {
        pieces.length = 0
        reject(how.error)
      }
      if (pieces.length === 0) release()
      wake()
    }

    function release() {
      clearInterval(watch)
      letGo()
    }

    const onAbort = () => end({ error: new Failure('media_download_failed', { message: 'The client closed the connection.' }) })

    const watch = setInterval(() => {
      // If nothing is buffered here, or the reader waits for a piece, the host is slow and not the reader. The thread
      // enforces the time limit of the host.
      if (pieces.length === 0 || isAwaited) return
      const error = new Error('The client stopped reading a received file.')
      pieces.length = 0
      end({ error })
      release()
      controller.error(error)
    }, silenceMs)

    const stream = new ReadableStream<Uint8Array>(
      {
        start(given) {
          controller = given
        },
        async pull() {
          watch.refresh()
          if (pieces.length === 0 && !ending) {
            isAwaited = true
            await new Promise<void>((resolve) => {
              wake = resolve
            })
            isAwaited = false
          }
          const piece = pieces.shift()
          if (piece) {
            controller.enqueue(piece)
            if (!ending) port.postMessage(MORE)
            else if (pieces.length === 0) release()
          } else if (ending?.error) {
            await new Promise((resolve) => setTimeout(resolve, HEAD_FIRST))
            throw ending.error
          } else {
            controller.close()
          }
        },
        cancel() {
          pieces.length = 0
          end()
          release()
        },
      },
      { highWaterMark: 0 },
    )

    port.on('message', (news: FileNews) => {
      if (ending) return
      switch (news.type) {
        case 'open':
          return resolve({ stream, ended, length: news.length })
        case 'status':
          resolve({ status: news.status })
          return end()
        case 'piece':
          pieces.push(new Uint8Array(news.bytes))
          return wake()
        case 'end':
          return end()
        case 'failed':
          return end({ error: Failure.from(news.err) })
        default:
          throw new Error(`a download thread sent an unexpected message: ${JSON.stringify(news satisfies never)}`)
      }
    })
    work.catch((cause: unknown) => {
      end({
        error: new Failure('engine_unavailable', { message: 'The file cannot be read at the moment; try again later.', cause }),
      })
    })
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
  })
}
