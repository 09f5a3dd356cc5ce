/**
 * Keeps a media file in a separate folder on disk while it is being sent, so that a download need not fit in memory.
 */
import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Through } from '../../../src/domain/bytes.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { MB, type MediaInput } from '../../../src/domain/media.ts'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import type { Ranges } from '../../../src/egress/addresses.ts'
import { guardedDownload } from '../../../src/egress/guarded-download.ts'
import { FetchFailed } from '../../../src/egress/guarded-fetch.ts'
import type { SendFiles } from '../send/contract.ts'

const MAX_REDIRECTS = 5
/** If fewer bytes are free, the full disk counts as the cause of a failure, whatever the converter reports. */
const FULL = 16 * MB

export interface Arrived {
  path: string
  dir: string
}

/** Context for a media file that arrives. Without `blobTo`, a file that is stored in the queue cannot be read. */
export interface Arriving {
  media: Pick<SendFiles, 'tempDir' | 'downloadMs'> & Partial<Pick<SendFiles, 'blobTo'>>
  egressAllow: Ranges
}

/**
 * Writes a media file to a new folder, calls `use`, and removes the folder. The bytes pass through `through` before
 * they are stored.
 */
export async function withMedia<T>(
  context: Arriving,
  input: MediaInput,
  limitBytes: number,
  use: (arrived: Arrived) => Promise<T>,
  through?: Through,
): Promise<T> {
  const { tempDir } = context.media
  await mkdir(tempDir, { recursive: true })
  const dir = await mkdtemp(join(tempDir, 'send-'))
  try {
    const path = join(dir, 'original')
    await fetchTo(path, context, input, limitBytes, through)
    return await use({ path, dir })
  } catch (cause) {
    // On a full disk a converter may report that the file is damaged. So the message waits for free space.
    const { bavail, bsize } = await statfs(tempDir)
    if (bavail * bsize >= FULL) throw cause
    throw new StorageFailure('the media could not be processed because the disk is full', { cause })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function fetchTo(
  path: string,
  { media, egressAllow }: Arriving,
  input: MediaInput,
  limitBytes: number,
  through: Through = (bytes) => bytes,
): Promise<void> {
  if (input.kind === 'inline') return writeFile(path, through(piecesOf(input.bytes)))
  if (input.kind === 'blob') {
    if (!media.blobTo) throw new Failure('media_invalid', { message: 'The media of the message is missing.' })
    return media.blobTo(path, input, through)
  }
  const limits = { allow: egressAllow, timeoutMs: media.downloadMs, maxBytes: limitBytes, maxRedirects: MAX_REDIRECTS }
  const { status, size } = await guardedDownload(input.url, path, limits, through).catch((error: unknown) => {
    throw error instanceof FetchFailed ? notDownloaded(error, limitBytes) : error
  })
  if (status < 200 || status > 299)
    throw new Failure('media_download_failed', { message: `The URL answered with status ${status}.`, details: { status } })
  if (size === 0) throw new Failure('media_invalid', { message: 'The URL returned no content.' })
}

async function* piecesOf(bytes: Uint8Array) {
  yield bytes
}

function notDownloaded(error: FetchFailed, limitBytes: number): Failure {
  // Media that is too large gets the same error code, whether it is downloaded or a part of the request.
  if (error.problem === 'too_large')
    return new Failure('media_invalid', { message: `The media has more than ${limitBytes / MB} MB.`, cause: error })
  return new Failure('media_download_failed', { message: error.message, cause: error })
}
