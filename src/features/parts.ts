/** What the handlers of `local` operations are given. Types only: a feature file never loads what it is served by. */
import type { Account } from '../account/account.ts'
import type { Directory } from '../directory/directory.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'

export type Check = 'database' | 'session_store' | 'engine' | 'disk'

export interface Parts {
  account: Account
  directory: Directory
  /** What `GET /health/ready` asks; each check resolves with true when that part works. */
  readiness: {
    isStopping(): boolean
    checks: Readonly<Record<Check, () => Promise<boolean>>>
    /** A sentence about what is wrong with the disk, without a path. */
    diskProblem?(): string | undefined
    /** Not a check: the service is ready without it. */
    media: 'ok' | 'no converter'
  }
  /** Undefined for a link that leads nowhere; rejects with `Failure`. The signal says that nobody waits any more. */
  receivedFile(link: string, signal: AbortSignal): Promise<ReceivedFileStream | undefined>
  /** Every number of the service, in the text format of Prometheus. */
  metrics(): Promise<string>
  /** The OpenAPI description, built once. */
  description(): Description
}

/** A file somebody sent, as it is read. */
export interface ReceivedFileStream {
  file: { mimeType: string; fileName: string | null; fileSha256: Uint8Array | null }
  stream: ReadableStream<Uint8Array>
  /** Bytes of it; null: not known before its end. */
  length: number | null
}

export interface Description {
  json: string
  /** With its quotes. */
  etag: string
  /** Compressed once. */
  gzip(): Promise<ArrayBuffer>
}

export interface PublicCall {
  parts: Parts
  request: Request
}

export interface AccountCall extends PublicCall {
  workspace: WorkspaceId
  /** Origin (and path prefix) under which callers reach the service, without a slash at the end. */
  baseUrl: string
}

export interface InstanceCall extends AccountCall {
  instance: InstanceId
}
