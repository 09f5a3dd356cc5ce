/**
 * Stores pieces of media as objects of a bucket: `<owner>/<blob>/<index>-<bytes>`. Only the answer `NoSuchKey` means
 * that a piece is missing.
 */
import { defineDriver } from 'unstorage'
import type { Bucket } from '../../domain/bucket.ts'
import type { BlobDriver } from '../blobs/items.ts'
import { bucketClient } from '../bucket/bucket-client.ts'

const NO_SUCH_KEY = 'NoSuchKey'

export const blobBucket = defineDriver(({ bucket }: { bucket: Bucket }): BlobDriver => {
  const client = bucketClient(bucket)
  const keyOf = (name: string) => name.replaceAll(':', '/')

  async function get(name: string): Promise<Uint8Array | null> {
    const { bytes, code } = await client.request({ method: 'GET', key: keyOf(name), expected: NO_SUCH_KEY })
    return code === undefined ? bytes : null
  }

  return {
    name: 'blob-bucket',
    hasItem: async (name) => (await get(name)) !== null,
    getItem: async (name) => String(await get(name)),
    getItemRaw: get,
    setItemRaw: async (name: string, sealed: Uint8Array) =>
      void (await client.request({ method: 'PUT', key: keyOf(name), body: sealed })),
    removeItem: async (name) => void (await client.request({ method: 'DELETE', key: keyOf(name), expected: NO_SUCH_KEY })),
    // The slash at the end excludes other owners whose id begins with the id of this one.
    async getKeys(prefix = '') {
      const folder = prefix
        .split(':')
        .filter(Boolean)
        .map((part) => `${part}/`)
      return (await client.list(folder.join(''))).map((key) => key.replaceAll('/', ':'))
    },
  }
}) as (options: { bucket: Bucket }) => BlobDriver
