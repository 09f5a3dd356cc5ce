/**
 * Types of the parts of the service that handlers of `local` operations get. This file has only types, because a feature file never loads the
 * implementations.
 */
import type { Account } from '../account/account.ts'
import type { Directory } from '../directory/directory.ts'
import type { ExportInstance } from '../domain/archive.ts'
import type { ConnectLink, ConnectLinks } from '../domain/connect-link.ts'
import type { ActivityHour, Health, HealthWindow } from '../domain/dashboard.ts'
import type { RightName } from '../domain/dashboard-rights.ts'
import type { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { Status } from '../domain/instance.ts'
import type { ImportInstance } from '../domain/instance-import.ts'
import type { Language } from '../domain/language.ts'
import type { Passkeys } from '../domain/passkey.ts'
import type { Readings } from '../domain/readings.ts'
import type { EventStreams } from '../domain/server-events.ts'
import type { Usage } from '../domain/usage.ts'
import type { WebhookLog } from '../domain/webhook-log.ts'
import type { Oauth } from '../oauth/oauth.ts'

export type Check = 'database' | 'session_store' | 'engine' | 'disk'

export interface Parts {
  account: Account
  directory: Directory
  oauth: Oauth
  webhookLog: WebhookLog
  exportInstance: ExportInstance
  importInstance: ImportInstance
  /** Makes an instance usable again after its move was cancelled. */
  resumeInstance(instance: InstanceId): Promise<Status>
  eventStreams: Pick<EventStreams, 'open'>
  /** Checks of `GET /health/ready`; each resolves with true if that part works. */
  readiness: {
    isStopping(): boolean
    checks: Readonly<Record<Check, () => Promise<boolean>>>
    /** Sentence that explains why a check fails, without file paths. */
    problems?: Readonly<Partial<Record<Check, () => string | undefined>>>
    /** State of the converter. It is not one of the checks, because the service is ready without a converter. */
    media: 'ok' | 'no converter'
    /** Sentence about a problem that does not stop the service. */
    warning?(): string | undefined
    /** Sentences about buckets that cannot be used. The service continues without them. */
    buckets?(): readonly string[]
  }
  /** Opens a received file; undefined for an invalid link. Rejects with `Failure`. The signal ends the download. */
  receivedFile(link: string, signal: AbortSignal): Promise<ReceivedFileStream | undefined>
  /** Resolves with a link to the copy of a received file in the bucket; undefined if there is none. */
  copyOfReceivedFile(link: string): Promise<string | undefined>
  /** Returns all metrics of the service, in the text format of Prometheus. */
  metrics(): Promise<string>
  /** Returns the OpenAPI description, built once. */
  description(): Description
  pages: Pages
  readings: Readings
  usage: Usage
  passkeys: Passkeys
  connectLinks: ConnectLinks
  /** Returns the health of a workspace; undefined if the dashboard is off. */
  health: ((workspace: WorkspaceId, window: HealthWindow) => Promise<Health>) | undefined
  /** Resolves with the sums of the instances for each hour; undefined if the dashboard is off. */
  activity: ((instances: readonly string[]) => Promise<ActivityHour[]>) | undefined
}

/** An HTML page of the service, with the policy with which it is sent. */
export interface Page {
  html: string
  /** `Content-Security-Policy` of the page. */
  policy: string
}

/** A file that a page loads. */
export interface Asset {
  type: string
  content: string
  gzip: Uint8Array<ArrayBuffer>
}

/** The consent page, which asks the owner of a workspace whether an app may get access. */
export interface ConsentView {
  /** Name that the client gives itself. */
  client: string
  redirectUri: string
  /** Secret of this visit to the consent page; the form sends it back. */
  ticket: string
  /** Instances to choose from, after the admin key was accepted. */
  instances?: readonly { id: string; name: string; phone: string | null }[]
  /** Sentence that describes a problem. */
  problem?: string
}

export interface PairingView {
  /** Name of the instance. */
  name: string
  language: Language
}

export interface Pages {
  home: Page
  consent(view: ConsentView): Page
  /** The pairing page of an instance, for the holder of its token. */
  pairing(view: PairingView): Page
  /** Returns the page for an address of a pairing page that belongs to no instance. */
  pairingRefusal(language: Language): Page
  /** The pairing page of a connect link. */
  connect(link: ConnectLink): Page
  /** Returns the page that explains why pairing is not possible. The link is undefined if no such link exists. */
  connectRefusal(link: ConnectLink | undefined, refusal: Failure): Page
  docs: Page
  /** Returns a file that a page loads; undefined if no such file exists. */
  asset(name: string): Promise<Asset | undefined>
  /** Returns the browser extension as a zip archive; undefined if it is not installed. */
  extension(): Promise<Uint8Array<ArrayBuffer> | undefined>
}

/** A file of the dashboard's client. */
export interface DashboardFile {
  type: string
  /** ETag including its quotes. */
  etag: string
  /** True if the file's name contains the hash of its content, so that it can be cached forever. */
  isForEver: boolean
  content: Uint8Array<ArrayBuffer>
  /** The compressed file, created once; absent if compression would not help. */
  gzip: (() => Promise<Uint8Array<ArrayBuffer>>) | undefined
}

export interface DashboardFiles {
  /** `Content-Security-Policy` of all files. */
  policy: string
  file(name: string): DashboardFile | undefined
}

/** A received file while it is read. */
export interface ReceivedFileStream {
  file: { mimeType: string; fileName: string | null; fileSha256: Uint8Array | null }
  stream: ReadableStream<Uint8Array>
  /** Number of bytes; null until the end of the file is known. */
  length: number | null
}

export interface Description {
  json: string
  /** ETag including its quotes. */
  etag: string
  /** The compressed description, created once. */
  gzip(): Promise<ArrayBuffer>
}

export interface PublicCall {
  parts: Parts
  request: Request
  /** Address of the caller. */
  source: string
  /** Whether a program on this machine has called directly, without a proxy. */
  isOnThisMachine: boolean
}

export interface AccountCall extends PublicCall {
  workspace: WorkspaceId
  /** Origin and path prefix at which callers reach the service, without a trailing slash. */
  baseUrl: string
  /** Returns the body of an operation that takes a file, in pieces as they arrive. */
  file(): AsyncIterable<Uint8Array>
  /** Whether the caller has this right of the dashboard. */
  may(right: RightName): boolean
}

export interface InstanceCall extends AccountCall {
  instance: InstanceId
  /** Whether the request would still be authorized, for answers that last long. */
  isStillAllowed(): boolean
  /** Whether a connect link replaces the credentials; such a caller learns nothing about the instance. */
  isStranger: boolean
}
