/**
 * Starts an S3 server of another project (`test/s3`) in its own process. It verifies the signatures of requests, and a
 * restart keeps its port and objects.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Bucket } from '../../src/domain/bucket.ts'
import { type BucketClient, bucketClient } from '../../src/storage/bucket/bucket-client.ts'
import { ROOT } from './checkout.ts'

const SERVER = fileURLToPath(new URL('test/s3/server.mjs', ROOT))

/** Reason to skip tests of the S3 server; false if it is installed. */
export const noS3: string | false = existsSync(fileURLToPath(new URL('test/s3/node_modules/@20minutes/s3rver', ROOT)))
  ? false
  : 'the S3 server is not installed: npm ci --prefix test/s3'

const KEY = 'S3RVER'

export interface S3 {
  endpoint: string
  /** Returns a client of the server's only bucket, with the folder as the prefix of its keys. */
  bucket(folder: string): Bucket
  client(folder: string): BucketClient
  /**
   * Returns the setting that selects this folder of the bucket. `endpoint`: another address of the server, such as that
   * of a proxy.
   */
  url(folder: string, endpoint?: string): string
  env: Record<string, string>
  /** Ends the server immediately. Its objects stay. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

export async function startS3(): Promise<S3> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-s3-'))
  let port = 0
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const child = spawn(process.execPath, ['--openssl-legacy-provider', SERVER, dir, String(port)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    server = child
    const [printed] = (await Promise.race([
      once(child.stdout!, 'data'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`The S3 server ended with ${code}.`))),
    ])) as [Buffer]
    port = Number(printed.toString())
    child.unref()
    for (const pipe of [child.stdin, child.stdout]) (pipe as Socket).unref()
  }

  async function kill(): Promise<void> {
    if (server === undefined || server.exitCode !== null) return
    const ended = once(server, 'exit')
    server.ref()
    server.kill('SIGKILL')
    await ended
    server = undefined
  }

  await start()
  const endpoint = `http://127.0.0.1:${port}`
  const bucket = (folder: string): Bucket => ({
    endpoint,
    name: 'media',
    prefix: `${folder}/`,
    region: 'eu-west-1',
    credentials: { accessKeyId: KEY, secretAccessKey: KEY, sessionToken: undefined },
  })
  return {
    endpoint,
    bucket,
    client: (folder) => bucketClient(bucket(folder)),
    url: (folder, at = endpoint) => `s3://media/${folder}?endpoint=${encodeURIComponent(at)}&region=eu-west-1`,
    env: { AWS_ACCESS_KEY_ID: KEY, AWS_SECRET_ACCESS_KEY: KEY },
    kill,
    start,
    async stop() {
      await kill()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
