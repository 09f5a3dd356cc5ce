/**
 * The main module of the download thread: received files are fetched from the network's host, opened, checked, and moved to main piece by
 * piece, as many as it has room for. A file that was changed ends in a failure in place of its last block.
 */
import { type MessagePort, workerData } from 'node:worker_threads'
import { Failure } from '../../src/domain/failures.ts'
import type { FileDownload, FileNews } from '../../src/domain/file-download.ts'
import { parseRanges } from '../../src/egress/addresses.ts'
import { proxyRoute } from '../../src/egress/proxy-route.ts'
import { createLog } from '../../src/log.ts'
import { decrypted } from '../../src/media/decrypt.ts'
import { createRoutes, type RouteOptions } from '../../src/media/routes.ts'
import { createFileHost } from './file-host.ts'
import { giveWay } from './give-way.ts'
import { gathered, movable, roomOf } from './pieces.ts'

giveWay()
const { network, egressAllow, logLevel } = workerData as Pick<RouteOptions, 'network'> & {
  egressAllow: readonly string[]
  logLevel: string
}
const log = createLog(logLevel, 'download')
const allow = parseRanges(egressAllow)
const host = createFileHost(createRoutes({ network, proxyRoute: (url) => proxyRoute(url, allow), log }))

/** The Piscina task. The port says how it went; main closes it when it wants no more. */
export async function download({ download, port }: { download: FileDownload; port: MessagePort }): Promise<void> {
  const { file, instance } = download
  const stopped = new AbortController()
  port.once('close', () => stopped.abort())
  const { signal } = stopped
  const room = roomOf(port, signal)
  const say = (news: FileNews, moved: ArrayBuffer[] = []) => port.postMessage(news, moved)
  try {
    const answer = await host.get(download, signal)
    if ('status' in answer) return say({ type: 'status', status: answer.status })
    say({ type: 'open' })
    for await (const opened of decrypted(file, gathered(answer.body))) {
      await room()
      const bytes = movable(opened)
      say({ type: 'piece', bytes }, [bytes])
    }
    say({ type: 'end' })
  } catch (error) {
    if (signal.aborted) return
    log.warn({ err: error, instance }, 'a received file could not be read')
    say({ type: 'failed', err: new Failure('media_download_failed').toData() })
  }
}
