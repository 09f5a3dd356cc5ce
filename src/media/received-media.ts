/**
 * Opens received files by their link. It limits simultaneous downloads, and asks for a new upload if the host no longer
 * has the file.
 */
import { type Clock, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import { isUploadable, type OpenDownload, type OpenFile, type ReceivedFile } from '../domain/file-download.ts'
import type { FairSlots } from '../egress/fair-slots.ts'
import type { MediaLinks, OpenedLink } from './media-links.ts'
import { type AskAgain, createNewUploads } from './new-uploads.ts'

export interface ReceivedMediaDeps {
  links: MediaLinks
  clock: Clock
  tokenTagOf(instance: string): string | undefined
  /** Returns the proxy URL of an instance, or null without a proxy. Undefined if there is no such instance. */
  proxyOf(instance: string): string | null | undefined
  openFile: OpenFile
  /** Slots for downloads that are shared fairly between instances, so that one instance cannot take them all. */
  slots: FairSlots
  askAgain: AskAgain
  /** Returns a link to the copy in the bucket; undefined if no copy is known. Absent if no bucket is configured. */
  linkOfCopy?: ((link: string, opened: OpenedLink) => Promise<string | undefined>) | undefined
}

export interface OpenReceived {
  file: ReceivedFile
  stream: ReadableStream<Uint8Array>
  length: number | null
}

export interface ReceivedMedia {
  /**
   * Resolves with undefined if the link leads to no file. Rejects with `Failure`. Aborting the signal ends the
   * download.
   */
  open(link: string, signal: AbortSignal): Promise<OpenReceived | undefined>
  /** Returns a link to the copy in the bucket; undefined if no copy is known, or if the link leads to no file. */
  copyOf(link: string): Promise<string | undefined>
}

const GONE = new Set([403, 404, 410])
const MAX_WAIT = 30 * SECOND
const MAX_WAITING = 256

export function createReceivedMedia({
  links,
  clock,
  tokenTagOf,
  proxyOf,
  openFile,
  slots,
  askAgain,
  linkOfCopy,
}: ReceivedMediaDeps): ReceivedMedia {
  const uploads = createNewUploads(askAgain)
  let waiting = 0

  async function place(instance: string, signal: AbortSignal): Promise<() => void> {
    const busy = (cause?: unknown) =>
      new Failure('engine_unavailable', { message: 'Too many files are being read; try again in a moment.', cause })
    if (waiting >= MAX_WAITING) throw busy()
    waiting++
    try {
      return await slots.take(instance, AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT)]))
    } catch (cause) {
      throw busy(cause)
    } finally {
      waiting--
    }
  }

  async function fetched({ instance, file }: OpenedLink, proxyUrl: string | null, signal: AbortSignal): Promise<OpenDownload> {
    const { kind, mediaKey, fileSha256, fileEncSha256, fileLength, key } = file
    const isOfChannel = key.remoteJid.endsWith('@newsletter')
    const sealed = { kind, mediaKey, fileSha256, fileEncSha256, fileLength, isOfChannel }
    const at = (path: string) => openFile({ file: sealed, path, proxyUrl, instance }, signal)

    const path = uploads.pathOf(instance, file)
    let answer = await at(path)
    if ('status' in answer && GONE.has(answer.status) && isUploadable(file))
      answer = await at(await whileWanted(uploads.instead(path, instance, file), signal))
    if ('status' in answer)
      throw new Failure('media_download_failed', { message: `The network's file host answered ${answer.status}.` })
    return answer
  }

  /** Opens a link. Undefined unless its instance exists and still has the token with which the link was made. */
  function allowedBy(link: string): { opened: OpenedLink; proxyUrl: string | null } | undefined {
    const opened = links.open(link, clock.now())
    const proxyUrl = opened ? proxyOf(opened.instance) : undefined
    if (!opened || proxyUrl === undefined || opened.tokenTag !== tokenTagOf(opened.instance)) return undefined
    return { opened, proxyUrl }
  }

  return {
    async copyOf(link) {
      const allowed = linkOfCopy === undefined ? undefined : allowedBy(link)
      return allowed && linkOfCopy?.(link, allowed.opened)
    },
    async open(link, signal) {
      const allowed = allowedBy(link)
      if (allowed === undefined) return undefined
      const { opened, proxyUrl } = allowed
      const giveBack = await place(opened.instance, signal)
      try {
        const { stream, ended, length } = await fetched(opened, proxyUrl, signal)
        void ended.then(giveBack)
        return { file: opened.file, stream, length }
      } catch (error) {
        giveBack()
        // The instance was deleted after the link was opened.
        if (error instanceof Failure && error.code === 'instance_not_found') return undefined
        throw error
      }
    },
  }
}

/**
 * Settles as `work` does, but rejects when the reader leaves. The work continues, because other readers may wait for
 * its result.
 */
function whileWanted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new Failure('media_download_failed', { message: 'The client closed the connection.' }))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
