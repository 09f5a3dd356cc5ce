/** The parts that handlers of `local` operations are given. Types only: a feature file never loads their implementations. */
import type { Account } from '../account/account.ts'
import type { Directory } from '../directory/directory.ts'
import type { Health } from '../domain/dashboard.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { Passkeys } from '../domain/passkey.ts'
import type { Readings } from '../domain/readings.ts'
import type { EventStreams } from '../domain/server-events.ts'
import type { WebhookLog } from '../domain/webhook-log.ts'
import type { Oauth } from '../oauth/oauth.ts'

export type Check = 'database' | 'session_store' | 'engine' | 'disk'

export interface Parts {
  account: Account
  directory: Directory
  oauth: Oauth
  webhookLog: WebhookLog
  eventStreams: Pick<EventStreams, 'open'>
  /** The checks of `GET /health/ready`; each resolves with true when that part works. */
  readiness: {
    isStopping(): boolean
    checks: Readonly<Record<Check, () => Promise<boolean>>>
    /** A sentence about why a check fails, without a path. */
    problems?: Readonly<Partial<Record<Check, () => string | undefined>>>
    /** Not a check: the service is ready without it. */
    media: 'ok' | 'no converter'
    /** A sentence about something that does not keep the service from its work. */
    warning?(): string | undefined
  }
  /** Undefined for a link that leads nowhere; rejects with `Failure`. The signal ends the download. */
  receivedFile(link: string, signal: AbortSignal): Promise<ReceivedFileStream | undefined>
  /** Every number of the service, in the text format of Prometheus. */
  metrics(): Promise<string>
  /** The OpenAPI description, built once. */
  description(): Description
  pages: Pages
  readings: Readings
  passkeys: Passkeys
  /** Undefined where nobody watches. */
  health: ((workspace: WorkspaceId) => Promise<Health>) | undefined
}

/** A page for people. */
export interface Page {
  html: string
  /** Its `Content-Security-Policy`. */
  policy: string
}

/** A file that a page loads. */
export interface Asset {
  type: string
  content: string
  gzip: Uint8Array<ArrayBuffer>
}

/** The consent page, which asks the owner of a workspace whether to let in an app. */
export interface ConsentView {
  /** As it calls itself. */
  client: string
  redirectUri: string
  /** Secret of this way through the page. */
  ticket: string
  /** The instances to choose from, once the admin key was right. */
  instances?: readonly { id: string; name: string; phone: string | null }[]
  /** A sentence. */
  problem?: string
}

export interface Pages {
  home: Page
  consent(view: ConsentView): Page
  pairing: Page
  docs: Page
  /** Undefined: there is no such file. */
  asset(name: string): Promise<Asset | undefined>
  /** The browser extension as a zip archive; undefined: it is not installed. */
  extension(): Promise<Uint8Array<ArrayBuffer> | undefined>
}

/** A file of the dashboard's client. */
export interface DashboardFile {
  type: string
  /** With its quotes. */
  etag: string
  /** Its name contains the hash of its content. */
  isForEver: boolean
  content: Uint8Array<ArrayBuffer>
  /** Compressed once; absent where that would gain nothing. */
  gzip: (() => Promise<Uint8Array<ArrayBuffer>>) | undefined
}

export interface DashboardFiles {
  /** `Content-Security-Policy` of all of them. */
  policy: string
  file(name: string): DashboardFile | undefined
}

/** A received file, as it is read. */
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
  /** Address of the caller. */
  source: string
}

export interface AccountCall extends PublicCall {
  workspace: WorkspaceId
  /** Origin (and path prefix) under which callers reach the service, without a slash at the end. */
  baseUrl: string
}

export interface InstanceCall extends AccountCall {
  instance: InstanceId
  /** Whether the request would still be authorized: for an answer that goes on for long. */
  isStillAllowed(): boolean
}
