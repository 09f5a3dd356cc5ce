/**
 * The main module of the download thread: received files are decrypted, verified, and sent to the main thread in
 * pieces. If a file was altered, an error replaces its last piece. A small file is decrypted completely first, so that
 * its length is known.
 */
import { type MessagePort, workerData } from 'node:worker_threads'
import { Failure } from '../../src/domain/failures.ts'
import { type FileDownload, type FileNews, WINDOW } from '../../src/domain/file-download.ts'
import type { Logging } from '../../src/domain/log.ts'
import { parseRanges } from '../../src/egress/addresses.ts'
import { proxyRoute } from '../../src/egress/proxy-route.ts'
import { createLog } from '../../src/log.ts'
import { asStored, decrypted } from '../../src/media/decrypt.ts'
import { createFileHost } from '../../src/media/file-host.ts'
import { createRoutes, type RouteOptions } from '../../src/media/routes.ts'
import { giveWay } from './give-way.ts'
import { gathered, movable, roomOf } from './pieces.ts'

giveWay()
const { network, egressAllow, logging } = workerData as Pick<RouteOptions, 'network'> & {
  egressAllow: readonly string[]
  logging: Logging
}
const log = createLog(logging, 'download')
const allow = parseRanges(egressAllow)
const host = createFileHost(createRoutes({ network, proxyRoute: (url) => proxyRoute(url, allow), log }))

export async function download({ download, port }: { download: FileDownload; port: MessagePort }): Promise<void> {
  const { file, instance } = download
  const stopped = new AbortController()
  port.once('close', () => stopped.abort())
  const { signal } = stopped
  const room = roomOf(port, signal)
  const post = (news: FileNews, moved: ArrayBuffer[] = []) => port.postMessage(news, moved)
  try {
    const answer = await host.get(download, signal)
    if ('status' in answer) return post({ type: 'status', status: answer.status })
    const opened = decrypted(asStored(file, answer.length), gathered(answer.body))
    const { pieces, rest } = await begun(opened)
    const length = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
    post({ type: 'open', length: rest === 'none' ? length : null })
    const move = async (bytes: ArrayBuffer) => {
      await room()
      post({ type: 'piece', bytes }, [bytes])
    }
    for (const bytes of pieces) await move(bytes)
    // The HTTP response has already begun, so an altered file can be rejected only by cutting the connection.
    if (typeof rest === 'object') throw rest.error
    for await (const bytes of opened) await move(movable(bytes))
    post({ type: 'end' })
  } catch (error) {
    if (signal.aborted) return
    log.warn({ err: error, instance }, 'a received file could not be read')
    post({ type: 'failed', err: new Failure('media_download_failed').toData() })
  }
}

async function begun(
  opened: AsyncGenerator<Uint8Array>,
): Promise<{ pieces: ArrayBuffer[]; rest: 'some' | 'none' | { error: unknown } }> {
  const pieces: ArrayBuffer[] = []
  try {
    while (pieces.length < WINDOW) {
      const { value, done } = await opened.next()
      if (done) return { pieces, rest: 'none' }
      pieces.push(movable(value))
    }
    return { pieces, rest: 'some' }
  } catch (error) {
    return { pieces, rest: { error } }
  }
}
