/**
 * Tests the client and the watch of S3 buckets against an S3 server that this project did not write. The server
 * verifies signatures.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { bucketClient } from '../../src/storage/bucket/bucket-client.ts'
import { watchBucket } from '../../src/storage/bucket/bucket-watch.ts'
import { blobBucket } from '../../src/storage/drivers/blob-bucket.ts'
import { mountBlobs } from '../../src/storage/open-store.ts'
import { noS3, type S3, startS3 } from '../harness/s3.ts'

describe('a bucket', { skip: noS3 }, () => {
  let s3: S3
  before(async () => {
    s3 = await startS3()
  })
  after(() => s3?.stop())

  test('is listed to its last page, and only below the prefix', async () => {
    const client = bucketClient(s3.bucket('pages'), { page: 2 })
    await s3.client('page').request({ method: 'PUT', key: 's/not-ours', body: 'x' })
    const names = ['key-1', 'key-10', 'key-100', 'key-2', 'key-3']
    for (const key of names) await client.request({ method: 'PUT', key, body: 'x' })
    assert.deepEqual((await client.list('')).toSorted(), names.toSorted())
    assert.deepEqual((await client.list('key-1')).toSorted(), ['key-1', 'key-10', 'key-100'])
  })

  test('that does not exist has lost nothing: its items are not missing', async () => {
    const items = mountBlobs(blobBucket({ bucket: { ...s3.bucket('x'), name: 'nowhere' } }))
    await assert.rejects(
      items.getItemRaw('owner:blob:0-1'),
      /^BucketFailure: The bucket nowhere\/x\/ at .* answered 404 \(NoSuchBucket\)\.$/,
    )
    assert.equal(await mountBlobs(blobBucket({ bucket: s3.bucket('x') })).getItemRaw('owner:blob:0-1'), null)
  })

  test('that refuses says why, and no message has a credential', async () => {
    const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'wrong-secret', sessionToken: undefined }
    const client = bucketClient({ ...s3.bucket('x'), credentials })
    await assert.rejects(client.check(), (error: Error) => {
      assert.match(error.message, /^The bucket media\/x\/ at .* answered 403 \(SignatureDoesNotMatch\)\.$/)
      assert.doesNotMatch(JSON.stringify(error) + error.stack, /S3RVER|wrong-secret/)
      return true
    })
  })

  test('is named in the log once when it goes and once when it is back, and counted then', async (t) => {
    const said: string[] = []
    const log = {
      info: (_: object, text: string) => said.push(text),
      warn() {},
      error: (_: object, text: string) => said.push(text),
    }
    let counts = 0
    const watch = await watchBucket({
      client: bucketClient(s3.bucket('watched'), { retries: [] }),
      variable: 'SVC_BLOBS_URL',
      meanwhile: 'something waits',
      log,
      onBack: async () => void counts++,
    })
    t.after(watch.stop)
    assert.equal(watch.problem(), undefined)
    await s3.kill()
    await watch.look()
    await watch.look()
    assert.equal(watch.problem(), 'The bucket of SVC_BLOBS_URL cannot be used: something waits.')
    await s3.start()
    await watch.look()
    await watch.look()
    assert.equal(watch.problem(), undefined)
    assert.deepEqual([said, counts], [['the bucket cannot be used: something waits', 'the bucket can be used again'], 1])
  })
})
