/**
 * Reads the outer boxes of an mp4 file (ISO 14496-12) without ffprobe: whether the file is complete, and the duration
 * and size of its video. A file that was cut off ends inside a box, or lacks its index.
 */
import { type FileHandle, open } from 'node:fs/promises'

export interface Film {
  seconds: number | null
  width: number | null
  height: number | null
}

const MAX_INDEX = 8 * 1_024 * 1_024
/** Maximum number of outer boxes in a file. Fragmented videos have many. */
const MAX_BOXES = 20_000

interface Box {
  type: string
  start: number
  end: number
}

export async function readFilm(path: string): Promise<Film | undefined> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const boxes = await outerBoxes(file, size)
    const index = boxes?.find(({ type }) => type === 'moov')
    if (index === undefined) return undefined
    if (index.end - index.start > MAX_INDEX) return { seconds: null, width: null, height: null }
    const bytes = Buffer.alloc(index.end - index.start)
    await file.read(bytes, 0, bytes.length, index.start)
    return numbersOf(bytes)
  } finally {
    await file.close()
  }
}

async function outerBoxes(file: FileHandle, size: number): Promise<Box[] | undefined> {
  const boxes: Box[] = []
  const head = Buffer.alloc(16)
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(head, 0, 16, at)
    const box = bytesRead < 8 ? undefined : boxAt(head.subarray(0, bytesRead), 0, at, size)
    if (box === undefined || box.end > size || boxes.length === MAX_BOXES) return undefined
    boxes.push(box)
    at = box.end
  }
  return boxes
}

/** Reads the head of the box at position `at` of `bytes`; `bytes` begins at position `offset` of the file. */
function boxAt(bytes: Buffer, at: number, offset: number, size: number): Box | undefined {
  if (at + 8 > bytes.length) return undefined
  const short = bytes.readUInt32BE(at)
  const type = bytes.toString('latin1', at + 4, at + 8)
  if (short === 0) return { type, start: offset + at + 8, end: size }
  if (short !== 1) return short < 8 ? undefined : { type, start: offset + at + 8, end: offset + at + short }
  if (at + 16 > bytes.length) return undefined
  const long = Number(bytes.readBigUInt64BE(at + 8))
  return long < 16 ? undefined : { type, start: offset + at + 16, end: offset + at + long }
}

function* inner(bytes: Buffer): Generator<{ type: string; bytes: Buffer }> {
  for (let at = 0; at < bytes.length; ) {
    const box = boxAt(bytes, at, 0, bytes.length)
    if (box === undefined || box.end > bytes.length) return
    yield { type: box.type, bytes: bytes.subarray(box.start, box.end) }
    at = box.end
  }
}

function numbersOf(index: Buffer): Film {
  const film: Film = { seconds: null, width: null, height: null }
  for (const { type, bytes } of inner(index)) {
    if (type === 'mvhd') film.seconds = duration(bytes)
    if (type !== 'trak') continue
    for (const track of inner(bytes)) {
      const size = track.type === 'tkhd' ? sizeOf(track.bytes) : undefined
      if (size && size.width > (film.width ?? 0)) Object.assign(film, size)
    }
  }
  return film
}

function duration(header: Buffer): number | null {
  const isLong = header[0] === 1
  if (header.length < (isLong ? 32 : 20)) return null
  const scale = header.readUInt32BE(isLong ? 20 : 12)
  const length = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16)
  return scale === 0 || length === 0 ? null : length / scale
}

/**
 * Returns the size of a track: the last two numbers of its header (16.16 fixed point), exchanged if the matrix in the
 * header turns the picture.
 */
function sizeOf(header: Buffer): { width: number; height: number } | undefined {
  if (header.length < 84) return undefined
  const [width, height] = [header.readUInt32BE(header.length - 8) >>> 16, header.readUInt32BE(header.length - 4) >>> 16]
  if (width === 0 || height === 0) return undefined
  const isTurned = header.readInt32BE(header.length - 44) === 0 && header.readInt32BE(header.length - 40) !== 0
  return isTurned ? { width: height, height: width } : { width, height }
}
