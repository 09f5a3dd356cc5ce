/**
 * Names of the items of `blobs:`. A blob is stored in pieces of 1 MiB, each encrypted and stored as one item:
 * `<owner>:<blob>:<index>-<bytes>`. The name has the index of the piece and the number of bytes of the whole blob, so a
 * list of names shows which blobs exist and how many bytes they have, with any driver of unstorage.
 *
 * Pieces are written in order and removed in reverse, so the first piece exists as long as any piece of its blob does.
 */
import { SEAL_BYTES } from '../sealer.ts'

/** Bytes per piece before encryption; encrypting a piece takes a millisecond. */
export const PIECE = 1_048_576
export const SEALED_PIECE = PIECE + SEAL_BYTES

export interface Piece {
  /** Key of the blob: `<owner>:<blob>`. */
  key: string
  index: number
  /** Bytes of the whole blob before encryption. */
  bytes: number
}

export const piecesOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / PIECE))

export const sealedBytes = (bytes: number): number => bytes + piecesOf(bytes) * SEAL_BYTES

/** Returns the size of a blob before encryption, from the total size of its encrypted pieces. */
export const plainBytes = (sealed: number): number => Math.max(0, sealed - Math.ceil(sealed / SEALED_PIECE) * SEAL_BYTES)

export const pieceName = ({ key, index, bytes }: Piece): string => `${key}:${index}-${bytes}`

/** Parses the name of an item; undefined if it is not the name of a piece. */
export function parsePiece(name: string): Piece | undefined {
  const [, key, index, bytes] = /^([\w-]+:[\w-]+):(\d+)-(\d+)$/.exec(name) ?? []
  return key === undefined ? undefined : { key, index: Number(index), bytes: Number(bytes) }
}

/** Returns the names of all pieces of a blob. */
export const pieceNames = (key: string, bytes: number): string[] =>
  Array.from({ length: piecesOf(bytes) }, (_, index) => pieceName({ key, index, bytes }))
