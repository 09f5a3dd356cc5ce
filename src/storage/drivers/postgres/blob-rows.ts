/**
 * Stores the pieces of media as rows of `svc_blob`.
 *
 * Only the insertion of the last piece waits for the server's disk. The earlier insertions precede it in the server's
 * log, so they are then on disk, too.
 */
import { defineDriver } from 'unstorage'
import { StorageFailure } from '../../../domain/storage-failure.ts'
import type { BlobDriver } from '../../blobs/items.ts'
import { type Piece, parsePiece, pieceName, piecesOf } from '../../blobs/pieces.ts'
import type { Question } from './link.ts'

export interface BlobRowsOptions {
  ask(question: Question): Promise<unknown[][]>
  writer: string | undefined
}

const ONE = 'owner = $1 AND name = $2 AND size = $3 AND piece = $4'
const GET = `SELECT bytes FROM svc_blob WHERE ${ONE}`
const REMOVE = `DELETE FROM svc_blob WHERE ${ONE} AND EXISTS (SELECT FROM svc_writer WHERE id = $5 AND NOT is_over)`
const putting = (setting: string) => `WITH w AS MATERIALIZED (
  SELECT set_config('synchronous_commit', ${setting}, true) AS set FROM svc_writer WHERE id = $5 AND NOT is_over)
INSERT INTO svc_blob (owner, name, size, piece, bytes) SELECT $1, $2, $3::bigint, $4::int, $6::bytea FROM w WHERE w.set <> ''
ON CONFLICT (owner, name, size, piece) DO UPDATE SET bytes = EXCLUDED.bytes RETURNING 1`
const PUT = putting("'off'")
const PUT_LAST = putting("current_setting('synchronous_commit')")
const LIST = 'SELECT owner, name, size, piece FROM svc_blob'

export const blobRows = defineDriver(({ ask, writer }: BlobRowsOptions): BlobDriver => {
  async function get(name: string): Promise<Uint8Array | null> {
    const [row] = await ask({ name: 'blob get', text: GET, values: placeOf(name).values })
    return row === undefined ? null : (row[0] as Uint8Array)
  }

  async function put(name: string, sealed: Uint8Array): Promise<void> {
    const { piece, values } = placeOf(name)
    const isLast = piece.index === piecesOf(piece.bytes) - 1
    const question = isLast ? { name: 'blob put last', text: PUT_LAST } : { name: 'blob put', text: PUT }
    const rows = await ask({ ...question, values: [...values, writer, sealed] })
    if (rows.length === 0)
      throw new StorageFailure('Another process has replaced this one as the writer of the store, so nothing was stored.')
  }

  async function list(prefix = ''): Promise<string[]> {
    const given = prefix.split(':').filter(Boolean).slice(0, 2)
    const where = given.map((_, index) => `${['owner', 'name'][index]} = $${index + 1}`).join(' AND ')
    const rows = await ask({ text: where === '' ? LIST : `${LIST} WHERE ${where}`, values: given })
    return (rows as [string, string, number, number][]).map(([owner, blob, bytes, index]) =>
      pieceName({ key: `${owner}:${blob}`, index, bytes }),
    )
  }

  return {
    name: 'blob-rows',
    hasItem: async (name) => (await get(name)) !== null,
    getItem: async (name) => String(await get(name)),
    getItemRaw: get,
    setItemRaw: put,
    removeItem: async (name) =>
      void (await ask({ name: 'blob remove', text: REMOVE, values: [...placeOf(name).values, writer] })),
    getKeys: list,
  }
}) as (options: BlobRowsOptions) => BlobDriver

function placeOf(name: string): { piece: Piece; values: unknown[] } {
  const piece = parsePiece(name)
  if (piece === undefined) throw new RangeError(`${JSON.stringify(name)} is not the name of a piece of media.`)
  const [owner, blob] = piece.key.split(':')
  return { piece, values: [owner, blob, piece.bytes, piece.index] }
}
