/**
 * Names of the pieces of media: `<owner>:<blob>:<index>-<bytes>`. A piece has at most 1 MiB and is encrypted
 * separately. `<bytes>` is the size of the whole blob, so a list of names shows the size of each blob.
 *
 * Pieces are written in order and removed in reverse, so that the first piece stays as long as the others.
 */
import { SEAL_BYTES } from '../sealer.ts'

/** Bytes of a piece before encryption. Encrypting a piece takes a millisecond. */
export const PIECE = 1_048_576
export const SEALED_PIECE = PIECE + SEAL_BYTES

export interface Piece {
  key: string
  index: number
  /** Bytes of the whole blob before encryption. */
  bytes: number
}

export const piecesOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / PIECE))

export const sealedBytes = (bytes: number): number => bytes + piecesOf(bytes) * SEAL_BYTES

export const plainBytes = (sealed: number): number => Math.max(0, sealed - Math.ceil(sealed / SEALED_PIECE) * SEAL_BYTES)

export const pieceName = ({ key, index, bytes }: Piece): string => `${key}:${index}-${bytes}`

export function parsePiece(name: string): Piece | undefined {
  const [, key, index, bytes] = /^([\w-]+:[\w-]+):(\d+)-(\d+)$/.exec(name) ?? []
  return key === undefined ? undefined : { key, index: Number(index), bytes: Number(bytes) }
}

export const pieceNames = (key: string, bytes: number): string[] =>
  Array.from({ length: piecesOf(bytes) }, (_, index) => pieceName({ key, index, bytes }))
