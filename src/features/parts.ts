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
import type { Nodes } from '../domain/nodes.ts'
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
  resumeInstance(instance: InstanceId): Promise<Status>
  eventStreams: Pick<EventStreams, 'open'>
  readiness: {
    isStopping(): boolean
    checks: Readonly<Record<Check, () => Promise<boolean>>>
    /** Functions that explain why a check fails. The explanation contains no file paths. */
    problems?: Readonly<Partial<Record<Check, () => string | undefined>>>
    /**
     * State of the conversion of media. It is not one of the checks, because the service is ready without a converter.
     */
    media: 'ok' | 'no converter'
    warning?(): string | undefined
    buckets?(): readonly string[]
  }
  /** Opens a received file. Resolves with undefined for an invalid link. Aborting the signal ends the download. */
  receivedFile(link: string, signal: AbortSignal): Promise<ReceivedFileStream | undefined>
  copyOfReceivedFile(link: string): Promise<string | undefined>
  metrics(): Promise<string>
  description(): Description
  pages: Pages
  readings: Readings
  usage: Usage
  passkeys: Passkeys
  connectLinks: ConnectLinks
  nodes: Nodes
  health: ((workspace: WorkspaceId, window: HealthWindow) => Promise<Health>) | undefined
  /** Reads the sums over the instances for each hour with activity; undefined if the dashboard is off. */
  activity: ((instances: readonly string[]) => Promise<ActivityHour[]>) | undefined
}

export interface Page {
  html: string
  policy: string
}

export interface Asset {
  type: string
  content: string
  gzip: Uint8Array<ArrayBuffer>
}

export interface ConsentView {
  client: string
  redirectUri: string
  ticket: string
  instances?: readonly { id: string; name: string; phone: string | null }[]
  problem?: string
}

export interface PairingView {
  name: string
  lastPhone: string | null
  language: Language
}

export interface Pages {
  home: Page
  consent(view: ConsentView): Page
  pairing(view: PairingView): Page
  pairingRefusal(language: Language): Page
  connect(link: ConnectLink): Page
  /** Page that explains why pairing is not possible. The link is undefined if no such link exists. */
  connectRefusal(link: ConnectLink | undefined, refusal: Failure): Page
  /** Page for an address that does not exist. The depth of the path is needed for the relative links of the page. */
  unknownAddress(language: Language, path: string): Page
  docs: Page
  asset(name: string): Promise<Asset | undefined>
  extension(): Promise<Uint8Array<ArrayBuffer> | undefined>
}

export interface DashboardFile {
  type: string
  etag: string
  /** True if the name contains the hash of the content, so that it can be cached forever. */
  isForEver: boolean
  content: Uint8Array<ArrayBuffer>
  /** Returns the compressed content, which is compressed once. Absent if compression would not help. */
  gzip: (() => Promise<Uint8Array<ArrayBuffer>>) | undefined
}

export interface DashboardFiles {
  policy: string
  file(name: string): DashboardFile | undefined
}

export interface ReceivedFileStream {
  file: { mimeType: string; fileName: string | null; fileSha256: Uint8Array | null }
  stream: ReadableStream<Uint8Array>
  /** Length of the file in bytes; null if the end of the file was not known when the download began. */
  length: number | null
}

export interface Description {
  json: string
  etag: string
  gzip(): Promise<ArrayBuffer>
}

export interface PublicCall {
  parts: Parts
  request: Request
  source: string
  /** True if a program on this machine has called directly, without a proxy. */
  isOnThisMachine: boolean
}

export interface AccountCall extends PublicCall {
  workspace: WorkspaceId
  /** URL at which callers reach the service, without a slash at its end. */
  baseUrl: string
  file(): AsyncIterable<Uint8Array>
  may(right: RightName): boolean
}

export interface InstanceCall extends AccountCall {
  instance: InstanceId
  isStillAllowed(): boolean
  /**
   * True if the caller has only a connect link. Such a caller must not learn the name or the number of the instance.
   */
  isStranger: boolean
}
