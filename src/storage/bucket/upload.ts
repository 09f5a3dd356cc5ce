/**
 * Uploads an object from a stream; only a few parts of it are in memory at a time. A large object is uploaded in parts,
 * and exists only when the upload was completed.
 */
import type { BucketClient } from './bucket-client.ts'

/** Bytes of a part. S3 accepts no smaller part, except for the last one. */
const PART = 5 * 1_024 * 1_024

export interface Upload {
  key: string
  headers: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
}

/** Uploads an object. If the source fails, no object is stored and the error of the source is thrown. */
export async function upload(
  client: BucketClient,
  { key, headers, signal }: Upload,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const parts = partsOf(source)
  const first = await parts.next()
  const second = first.done ? first : await parts.next()
  if (second.done) {
    const body = first.value ?? new Uint8Array(0)
    await client.request({ method: 'PUT', key, headers, body, signal })
    return
  }
  const { bytes } = await client.request({ method: 'POST', key, query: { uploads: '' }, headers, signal })
  const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(textOf(bytes))?.[1] ?? ''
  try {
    const tags: string[] = []
    const put = async (body: Uint8Array) => {
      const query = { partNumber: String(tags.length + 1), uploadId }
      const { headers: answered } = await client.request({ method: 'PUT', key, query, body, signal })
      tags.push(answered.get('etag') ?? '')
    }
    await put(first.value!)
    await put(second.value)
    for await (const body of parts) await put(body)
    await complete(client, { key, uploadId, tags, signal })
  } catch (error) {
    // If this request fails, the operator's bucket rule for incomplete uploads removes the parts later.
    await client.request({ method: 'DELETE', key, query: { uploadId } }).catch(() => {})
    throw error
  }
}

interface Completion extends Pick<Upload, 'key' | 'signal'> {
  uploadId: string
  tags: readonly string[]
}

async function complete(client: BucketClient, { key, uploadId, tags, signal }: Completion): Promise<void> {
  const list = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`).join('')
  const body = `<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`
  const { bytes } = await client.request({ method: 'POST', key, query: { uploadId }, body, signal })
  // The server sends status 200 before it has combined the parts, so the body may still contain an error.
  const code = /<Code>(\w+)<\/Code>/.exec(textOf(bytes))?.[1]
  if (code !== undefined) throw client.failure(200, code)
}

async function* partsOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let held: Uint8Array[] = []
  let length = 0
  for await (const chunk of source) {
    let rest = chunk
    while (length + rest.byteLength >= PART) {
      const taken = PART - length
      yield Buffer.concat([...held, rest.subarray(0, taken)])
      held = []
      length = 0
      rest = rest.subarray(taken)
    }
    if (rest.byteLength > 0) held.push(rest)
    length += rest.byteLength
  }
  if (length > 0) yield Buffer.concat(held)
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
