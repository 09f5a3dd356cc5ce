/** Links with which anybody can read one object of a bucket for a while, without credentials. */
import { AwsV4Signer } from 'aws4fetch'
import type { Bucket } from '../../domain/bucket.ts'
import { SECOND } from '../../domain/clock.ts'
import { urlOf } from './bucket-client.ts'

/**
 * Returns a link that is valid for `ms`, in whole seconds and at least one. It begins with the public address of the
 * bucket, because the signature covers the host.
 */
export async function presigned(bucket: Bucket, key: string, ms: number): Promise<string> {
  const seconds = String(Math.max(1, Math.floor(ms / SECOND)))
  const { credentials, region } = bucket
  const signer = new AwsV4Signer({
    method: 'GET',
    url: urlOf({ ...bucket, endpoint: bucket.publicEndpoint ?? bucket.endpoint }, key, { 'X-Amz-Expires': seconds }).href,
    ...credentials,
    service: 's3',
    region,
    signQuery: true,
  })
  return (await signer.sign()).url.href
}
