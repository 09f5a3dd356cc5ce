/**
 * Reads the history that the phone sends to a new device. The file is verified, then inflated and decoded in slices, so
 * that even 200,000 chats do not block the thread. A history arrives in several notices. A file is read again from its
 * beginning after a kill, so readers must accept data that they already have.
 */
import { pipeline, Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createInflate } from 'node:zlib'
import { proto } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { SealedFile } from '../../../../src/domain/file-download.ts'
import { type FetchDeps, isFinalAnswer, readFetched } from '../../../../src/media/fetched.ts'
import { DamagedHistory, type HistoryPiece, historyParser } from '../../wire/history.ts'

export interface HistoryReader {
  /**
   * Processes at most `MAX_SLICE` pieces. The stored data is on disk when the promise resolves, or at the latest when
   * `end` resolves. If `take` or `end` rejects, the whole notice is processed again after the next login.
   */
  take(slice: readonly HistoryPiece[], about: HistoryAbout): Promise<void> | void
  end?(about: HistoryAbout): Promise<void>
}

/** Values from the phone's notice about the history file to which a slice belongs. */
export interface HistoryAbout {
  syncType: proto.HistorySync.HistorySyncType
  chunkOrder: number | undefined
  progress: number | undefined
}

export interface HistoryDeps extends FetchDeps {
  readers: readonly HistoryReader[]
  log: Pick<Logger, 'info' | 'warn'>
}

type Notice = proto.Message.IHistorySyncNotification

/**
 * Reads a history that the phone has announced. Resolves when the history is on disk, or if it is skipped: it cannot be
 * read, or is the full history. Rejects if it must be read again after the next login.
 */
export type TakeHistory = (notice: Notice) => Promise<void>

export const MAX_SLICE = 200
/** Time in ms after which a slice ends even if it is not full. */
const SLICE_MS = 10
const CHUNK = 64 * 1_024
/**
 * Largest inflated size in bytes (16 GiB). A file on the network has at most 2 GB. If it inflates to more than this
 * limit, it counts as damaged.
 */
const MAX_INFLATED = 16 * 2 ** 30

const { FULL } = proto.HistorySync.HistorySyncType

export function takeHistory({ readers, ended, log, ...deps }: HistoryDeps): TakeHistory {
  const readFile = readFetched({ ended, log, ...deps })

  async function read(bytes: AsyncIterable<Uint8Array>, about: HistoryAbout) {
    const began = performance.now()
    let pieces = 0
    let slices = 0
    for await (const slice of historySlices(bytes)) {
      ended.throwIfAborted()
      for (const reader of readers) await reader.take(slice, about)
      pieces += slice.length
      slices++
      await nextTurn()
    }
    for (const reader of readers) await reader.end?.(about)
    const durationMs = Math.round(performance.now() - began)
    log.info({ sync_type: about.syncType, pieces, slices, duration_ms: durationMs }, "a part of the phone's history was read")
  }

  return async (notice) => {
    if (notice.syncType === FULL) return
    const about = aboutOf(notice)
    try {
      const inline = notice.initialHistBootstrapInlinePayload
      if (inline?.length) return await read(Readable.from([inline]), about)
      const file = fileOf(notice)
      if (file) await readFile(file, notice.directPath ?? '', (bytes) => read(bytes, about))
    } catch (error) {
      ended.throwIfAborted()
      if (!isFinal(error)) throw error
      log.warn({ err: error }, "a part of the phone's history could not be read; it is skipped")
    }
  }
}

/** Inflates and decodes a history, and yields it in slices, so that memory holds only a small part of it. */
export async function* historySlices(
  deflated: AsyncIterable<Uint8Array>,
  now: () => number = () => performance.now(),
): AsyncGenerator<HistoryPiece[]> {
  const parser = historyParser()
  let slice: HistoryPiece[] = []
  let inflated = 0
  for await (const bytes of inflate(deflated)) {
    inflated += bytes.length
    if (inflated > MAX_INFLATED) throw new DamagedHistory('it is too large after decompression')
    let began = now()
    for (const piece of parser.push(bytes)) {
      slice.push(piece)
      if (slice.length < MAX_SLICE && now() - began < SLICE_MS) continue
      yield slice
      slice = []
      began = now()
    }
  }
  parser.end()
  if (slice.length > 0) yield slice
}

const inflate = (source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  // The reader of the stream gets the failure of the pipeline, so the callback does nothing.
  pipeline(Readable.from(source), createInflate({ chunkSize: CHUNK }), () => {})

function isFinal(error: unknown): boolean {
  const isNotDeflated = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
  return isNotDeflated || isFinalAnswer(error) || error instanceof DamagedHistory
}

const aboutOf = ({ syncType, chunkOrder, progress }: Notice): HistoryAbout => ({
  syncType: Number(syncType ?? 0),
  chunkOrder: chunkOrder ?? undefined,
  progress: progress ?? undefined,
})

function fileOf({ mediaKey, fileSha256, fileEncSha256, fileLength, directPath }: Notice): SealedFile | null {
  if (!mediaKey?.length || !directPath) return null
  return {
    kind: 'history',
    mediaKey,
    fileSha256: fileSha256?.length ? fileSha256 : null,
    fileEncSha256: fileEncSha256?.length ? fileEncSha256 : null,
    fileLength: fileLength == null ? null : Number(fileLength),
  }
}
