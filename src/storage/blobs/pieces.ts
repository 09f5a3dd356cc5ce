/**
 * Names of the items of `blobs:`. A blob is stored in pieces of 1 MiB, each sealed and an item of its own: `<owner>:<blob>:<index>-<bytes>`. The name says
 * which piece it is and how many bytes the whole blob has, so a list of names says which blobs exist, and what they count, with any driver of unstorage.
 *
 * Pieces are written in order and removed in reverse, so the first one is there as long as anything of its blob is.
 */
import { SEAL_BYTES } from '../sealer.ts'

/** Plain bytes per piece; sealing one takes a millisecond. */
export const PIECE = 1_048_576
export const SEALED_PIECE = PIECE + SEAL_BYTES

export interface Piece {
  /** `<owner>:<blob>`. */
  key: string
  index: number
  /** Plain bytes of the whole blob. */
  bytes: number
}

export const piecesOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / PIECE))

export const sealedBytes = (bytes: number): number => bytes + piecesOf(bytes) * SEAL_BYTES

/** Plain bytes of a blob whose sealed pieces have this many bytes together. */
export const plainBytes = (sealed: number): number => Math.max(0, sealed - Math.ceil(sealed / SEALED_PIECE) * SEAL_BYTES)

export const pieceName = ({ key, index, bytes }: Piece): string => `${key}:${index}-${bytes}`

/** Undefined if the name is not that of a piece. */
export function parsePiece(name: string): Piece | undefined {
  const [, key, index, bytes] = /^([\w-]+:[\w-]+):(\d+)-(\d+)$/.exec(name) ?? []
  return key === undefined ? undefined : { key, index: Number(index), bytes: Number(bytes) }
}

/** All names of the pieces of a blob. */
export const pieceNames = (key: string, bytes: number): string[] =>
  Array.from({ length: piecesOf(bytes) }, (_, index) => pieceName({ key, index, bytes }))
