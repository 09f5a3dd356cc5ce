/**
 * Starts the HTTP application with a real store, account and directory. The engine, which runs the instances, is
 * replaced by a double, and so are the clock and some threads. `test/e2e` tests the real ones.
 */

import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeTime, ulid } from 'ulid'
import { newInstanceToken } from '../../../src/account/credentials.ts'
import { createDashboardSessions } from '../../../src/account/dashboard-sessions.ts'
import { keepSessions } from '../../../src/account/session-records.ts'
import { createStoredAccount } from '../../../src/account/stored-account.ts'
import { createConnectLinks } from '../../../src/connect/connect-links.ts'
import { importOps } from '../../../src/directory/imports.ts'
import { createInstanceDirectory } from '../../../src/directory/instance-directory.ts'
import { createInstanceExport } from '../../../src/directory/instance-export.ts'
import { createInstanceImport } from '../../../src/directory/instance-import.ts'
import { createInstanceResume } from '../../../src/directory/instance-resume.ts'
import { VERSION } from '../../../src/domain/brand.ts'
import { Failure, type FailureCode } from '../../../src/domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../../../src/domain/ids.ts'
import { CREATED, type InstanceConfig, type RuntimeState } from '../../../src/domain/instance.ts'
import type { ComingBody } from '../../../src/domain/large-body.ts'
import type { PasskeyReport } from '../../../src/domain/passkey.ts'
import type { ShardSurvey } from '../../../src/domain/readings.ts'
import type { SendEnd } from '../../../src/domain/send-outcome.ts'
import type { EventsPage, EventsQuery } from '../../../src/domain/server-events.ts'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import type { Workspace } from '../../../src/domain/workspace.ts'
import { parseRanges } from '../../../src/egress/addresses.ts'
import { checkProxy, checkUrl } from '../../../src/egress/targets.ts'
import type { Engine, EngineEvent } from '../../../src/engine/engine.ts'
import { createReadings } from '../../../src/engine/readings.ts'
import { createSendOutcomes } from '../../../src/engine/send-outcomes.ts'
import { watchUsage } from '../../../src/health/watch-usage.ts'
import { createApp } from '../../../src/http/app.ts'
import { webBodies } from '../../../src/http/body.ts'
import { createLive } from '../../../src/http/dashboard/live.ts'
import { createExposition } from '../../../src/metrics/exposition.ts'
import { createLedger } from '../../../src/metrics/ledger.ts'
import { createTally } from '../../../src/metrics/tally.ts'
import { createOauth } from '../../../src/oauth/create.ts'
import { createDashboardFiles } from '../../../src/pages/dashboard-files.ts'
import { createPages } from '../../../src/pages/pages.ts'
import { createPasskeys } from '../../../src/passkey/passkeys.ts'
import { createNodes } from '../../../src/service/nodes.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { openKeyRing } from '../../../src/storage/key-ring.ts'
import { createMainRecords } from '../../../src/storage/main-records/create-main-records.ts'
import { type OpenStore, openStore } from '../../../src/storage/open-store.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createSealer } from '../../../src/storage/sealer.ts'
import { createEventStreams } from '../../../src/webhooks/event-streams.ts'
import { type LogRow, logRows } from '../../../src/webhooks/log.ts'
import { indexOps } from '../../../src/webhooks/log-index.ts'
import { logReader } from '../../../src/webhooks/log-reader.ts'
import { createWebhookLog } from '../../../src/webhooks/webhook-log.ts'
import { readLargeBody, readMessage } from '../../../workers/media/large-body.ts'
import { StreamedJson } from '../../../workers/media/streamed-json.ts'
import { checkRefusal, credentialsIn } from '../../harness/secrets.ts'
import { isThroughMember, throughMember } from '../../harness/through-member.ts'
import { type Asked, isThroughStandby, throughStandby } from '../../harness/through-standby.ts'

export const METRICS_TOKEN = 'numbers-for-the-operator'
/** Id of this run of the service in `GET /admin/nodes`. */
export const NODE = '9c3f2d1e-6b47-4a58-8f1c-0d2e4b6a8c10'
export const ADMIN_KEY = `svc_admin_${'a'.repeat(48)}`

const loggedCredentials = (lines: readonly unknown[]): string[] =>
  credentialsIn(JSON.stringify(lines, (_, value) => (value instanceof Error ? value.stack : value)))

type Answer = (instance: string, operation: string, input: unknown) => unknown

/**
 * Returns a double of the engine. By default, a session that it starts has the status `qr`. The double returns the
 * answers that the test has prepared, and records the calls.
 */
export function doubleEngine() {
  const listeners: ((event: EngineEvent) => void)[] = []
  const calls: { instance: string; operation: string; input: unknown; ifUnpaired?: true }[] = []
  const states = new Map<string, RuntimeState>()
  const configured: InstanceConfig[] = []
  const stopped: string[] = []
  const double = {
    calls,
    configured,
    stopped,
    answer: ((_instance, operation) => {
      throw new Error(`the simulated engine has no answer for ${operation}`)
    }) as Answer,
    passkey: {
      ceremony: 'first',
      stage: 'awaiting_response',
      public_key: { challenge: 'QK_uMVx9bMbhwJtWmk3lo9UZf1u0AlttZVyJZtbrueE', rpId: 'whatsapp.com' },
      expires_at: '2099-01-31T12:10:00.000Z',
      attempts_left: 3,
      code: null,
      needs_confirmation: false,
      last_error: null,
    } as PasskeyReport,
    events: ({ after }: EventsQuery): EventsPage => ({ events: [], cursor: after ?? ulid(), gap: null, more: false }),
    startState: { ...CREATED, status: 'qr', reason: 'pairing_required' } as RuntimeState,
    startFailure: undefined as FailureCode | undefined,
    /** Surveys that the shards return. A survey has the measurements of the instances of one shard. */
    surveys: [] as ShardSurvey[],
    waiting: 0,
    isUp: true,
    tell: (instance: string, change: Partial<RuntimeState>) => {
      const state = { ...CREATED, ...change }
      states.set(instance, state)
      for (const listener of listeners) listener({ type: 'state', instance, state })
    },
    settle: (svcId: string, outcome: SendEnd) => {
      for (const listener of listeners) listener({ type: 'outcome', svcId, outcome })
    },
  }
  const engine: Engine = {
    async start() {
      if (double.startFailure) throw new Failure(double.startFailure)
      return double.startState
    },
    configure: async (config) => void configured.push(config),
    stop: async (instance) => void stopped.push(instance),
    async call(instance, { operation, input, ...facts }) {
      const ifUnpaired = 'ifUnpaired' in facts && facts.ifUnpaired === true
      calls.push({ instance, operation, input, ...(ifUnpaired ? { ifUnpaired } : {}) })
      if (!double.isUp) throw new Failure('engine_unavailable')
      const { status, reason, paired } = states.get(instance) ?? double.startState
      if (ifUnpaired && paired) throw new Failure('instance_already_connected')
      if (ifUnpaired && operation === 'queue.list') return { total: double.waiting } as never
      if (operation === 'instance.pairingState')
        return { status, paired, isPaused: reason === 'paused', hasFailed: reason === 'pairing_failed' } as never
      if (operation === 'instance.endPairing') return null as never
      // Only event streams call this operation. `double.events` returns the events that the test has prepared, by
      // default none.
      if (operation === 'webhooks.eventsAfter') return double.events(input as EventsQuery) as never
      if (operation === 'instance.passkeyState') return double.passkey as never
      return double.answer(instance, operation, input) as never
    },
    onEvent: (listener) => void listeners.push(listener),
    hasTold: () => false,
    isReady: () => true,
    problem: () => undefined,
    close: async () => {},
  }
  return Object.assign(double, { engine })
}

/** Reads a body in this thread, as the thread for large bodies does. */
async function streamed({ batches, held }: ComingBody): Promise<StreamedJson> {
  const json = new StreamedJson()
  for await (const batch of batches) {
    for (const piece of batch) json.push(piece)
    held(json.held)
  }
  return json
}

const FILE = { mimeType: 'application/octet-stream', fileName: 'a.bin', fileSha256: null }

export async function endsAfterFirst(response: Response): Promise<string> {
  const reader = response.body!.getReader()
  const { value = new Uint8Array() } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

export type Service = Awaited<ReturnType<typeof openService>>

export interface ServiceOptions {
  trustedProxies?: string[]
  adminAllowedIps?: string[]
  instanceSlots?: number
  /**
   * If true, the service has generated its admin key itself, so the key can be rotated. If false, the key is ADMIN_KEY,
   * as if the environment had set it.
   */
  hasOwnAdminKey?: boolean
  createWaitMs?: number
  /** Settings of the dashboard, or undefined if there is none. `folder` contains the files of the dashboard. */
  dashboard?: { mode: 'loopback' | 'on'; folder?: string }
  hasOauth?: boolean
  /** Origins whose pages may call `/mcp`. If undefined, only pages of the service's own origin may call it. */
  mcpAllowedOrigins?: string[]
  /**
   * True if `/metrics` requires METRICS_TOKEN. If false, it requires no token, and answers only callers on this machine
   * or in a private network.
   */
  hasMetricsToken?: boolean
  hasDocs?: boolean
  /** Takes the place of a database that several services use. If it is absent, the service is alone. */
  nodes?: Pick<OpenStore, 'nodes' | 'waitsForTurn'>
  /** URL of the store. If it is absent, the service gets a new store in a temporary folder. */
  storeUrl?: string
}

export async function openService(options: ServiceOptions = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'svc-http-'))
  const opened = await openStore(options.storeUrl ?? `lmdb:${dir}`)
  const disk = { isFull: false }
  const commit: OpenStore['commit'] = (batch) =>
    disk.isFull ? Promise.reject(new StorageFailure('disk full')) : opened.commit(batch)
  const store: OpenStore = { ...opened, commit }
  const keyRing = await openKeyRing(store, new Uint8Array(32).fill(7))
  const sealer = keyRing.main
  /**
   * The clock of the service, which the test sets. `steppedBy` is the number of ms by which the wall clock was changed.
   * This change does not affect the monotonic clock.
   */
  const time = { now: Date.parse('2026-01-31T12:00:00.000Z'), steppedBy: 0 }
  const clock = { now: () => time.now + time.steppedBy }
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = []
  const line = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: fields as Record<string, unknown>, message })
  const log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  const adminKey = options.hasOwnAdminKey ? null : ADMIN_KEY
  const main = createMainRecords({ store, log })
  const account = createStoredAccount({ main, store, sealer, clock, log, adminKey, instanceSlots: options.instanceSlots ?? 50 })
  await account.load()
  const credentials = { adminKey: (await account.firstStart()) ?? ADMIN_KEY }
  const double = doubleEngine()
  const through = isThroughMember ? await throughMember(double.engine) : undefined
  const engine = through?.engine ?? double.engine
  const allow = parseRanges([])
  const { adminKeyTag: keyTagOf, settled, catchUp } = account
  const oauth = createOauth({ store, main, sealer, clock, log, allow: parseRanges(['127.0.0.0/8']), keyTagOf, settled, catchUp })
  await oauth.load()
  const directory = createInstanceDirectory({
    store,
    main,
    sealer,
    keyRing,
    account,
    oauth,
    engine,
    clock,
    log,
    checkUrl: (url) => checkUrl(url, allow),
    checkProxy: (url) => checkProxy(url, allow),
    createWaitMs: options.createWaitMs ?? 1_000,
  })
  await directory.load()
  const peer = { address: '198.51.100.7', hasLeft: false }
  const readiness = {
    stopping: false,
    isStopping: () => readiness.stopping,
    checks: { database: async () => true, session_store: async () => true, engine: async () => true, disk: async () => true },
    media: 'ok' as const,
  }
  const tally = createTally()
  const readings = createReadings({ survey: async () => double.surveys })
  const usage = watchUsage({
    readings,
    isKnown: (id) => directory.tokenTagOf(id) !== undefined,
    steady: { now: () => time.now },
    log,
  })
  const eventStreams = createEventStreams({
    engine,
    onGap: () => tally.add('svc_event_stream_gaps_total', {}),
    refresh: account.refresh,
  })
  const { onEvent } = engine
  const { onKeyChange, refresh } = account
  const live = createLive({ directory, readings, onEvent, onKeyChange, log, refresh, run: ulid() })
  const metrics = createExposition({
    notStarted: () => 0,
    tally,
    ledger: createLedger(),
    clock,
    instances: directory.countByStatus,
    streams: () => ({ events: eventStreams.count(), dashboard: live.count() }),
    nodes: () => undefined,
    homes: () => undefined,
    isPair: false,
    refresh: async () => {},
  })
  const connectLinks = createConnectLinks({ store, main, sealer, engine, directory, clock, log })
  await connectLinks.load()
  const application = createApp({
    account,
    directory,
    oauth,
    hasOauth: options.hasOauth ?? false,
    engine,
    readiness,
    copyOfReceivedFile: async () => undefined,
    // Only the link in the operation's documented example is valid.
    receivedFile: async (link) =>
      link === 'c2VhbGVkLWxpbms' ? { file: FILE, stream: new Blob(['file']).stream(), length: 4 } : undefined,
    webhookLog: createWebhookLog({
      reader: logReader(store, (instance) => createSealer(keyRing.of(instance))),
      engine,
      log,
    }),
    exportInstance: createInstanceExport({
      store,
      sealer,
      keyOf: keyRing.of,
      engine,
      directory,
      clock,
      log,
      // Replaces the thread that writes archives. `test/e2e/moving` tests the real thread.
      write: async () => new Blob(['archive']).stream(),
    }),
    importInstance: createInstanceImport({
      store,
      sealer,
      keyRing,
      account,
      tempDir: dir,
      // Replaces the thread that reads imported files. `test/e2e/moving` tests the real thread.
      read: async () => ({ identity: ulid(), id: undefined, report: ['806 one-time keys: 806 taken.'] }),
      async stage(_, { workspace, from, name = 'Imported device' }) {
        const id = randomUUID()
        const about = { id, workspace, name, token: newInstanceToken(), from }
        const identity = ulid()
        const creds = Buffer.from(JSON.stringify({ creds: { signedIdentityKey: { public: { data: identity } } } }))
        await store.commit({ ops: importOps(sealer, about, { identity, creds, keys: [] }) })
        return id
      },
      takeImports: async () => void (await directory.takeImports()),
      steps: () => {},
      log,
    }),
    resumeInstance: createInstanceResume({ engine, steps: () => {}, log }),
    readings,
    usage,
    connectLinks,
    nodes: createNodes({
      node: { id: NODE, name: 'node-a', release: VERSION },
      store: options.nodes ?? {},
      isStandby: true,
      instancesOf: () => [...directory.ids()].length,
      clock,
      stopSoon: () => {},
      log,
    }),
    passkeys: await createPasskeys({ engine, clock, steady: { now: () => time.now } }),
    eventStreams,
    clock,
    steadyClock: { now: () => time.now },
    log,
    newRequestId: () => ulid(),
    peer: () => peer.address,
    hasLeft: () => peer.hasLeft,
    source: webBodies,
    cut: () => {},
    tally,
    metrics,
    isMetricsToken: options.hasMetricsToken === false ? undefined : (value) => value === METRICS_TOKEN,
    baseUrl: 'https://gw.example.com',
    trustedProxies: options.trustedProxies ?? [],
    adminAllowedIps: options.adminAllowedIps ?? [],
    docs: options.hasDocs ?? true,
    pages: createPages({ hasDocs: true, hasDashboard: true }),
    dashboard: options.dashboard && {
      mode: options.dashboard.mode,
      sessions: await createDashboardSessions({ account, clock, kept: keepSessions({ main, sealer, log }), log }),
      files: await createDashboardFiles([options.dashboard.folder ?? dir]),
      health: undefined,
      activity: undefined,
      live,
      sandboxUrl: null,
    },
    outcomes: createSendOutcomes({ engine, directory }),
    async readLargeBody(route, fields, body, onUnknown) {
      const result = readLargeBody({ route, ...fields }, await streamed(body))
      onUnknown(result.unknown)
      if ('err' in result) throw Failure.from(result.err)
      return result.ok
    },
    readLargeMessage: async (body) => readMessage(await streamed(body)),
    mcpAllowedOrigins: options.mcpAllowedOrigins ?? null,
  })

  const passed = isThroughStandby ? await throughStandby(application) : undefined
  const app: Asked & Pick<typeof application, 'routes'> = passed ? { ...passed, routes: application.routes } : application
  const workspace = account.findAdmin(credentials.adminKey)!
  const changeWorkspace = (change: (current: Workspace) => Partial<Workspace>) =>
    account.transact(workspace, (current) => ({ next: { ...current, ...change(current) }, ops: [] }))

  async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await app.request(`http://gw.test${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = response.headers.get('Content-Type')?.startsWith('application/json') ? await response.text() : undefined
    if (response.status >= 400) checkRefusal(`${method} ${response.status}`, JSON.stringify([text, ...response.headers]))
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
    return { status: response.status, headers: response.headers, response, body: text ? (JSON.parse(text) as any) : undefined }
  }

  const admin = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    ask(method, path, body, { ...headers, Authorization: `Bearer ${credentials.adminKey}` })

  async function newKey(scopes: string[], name = `key ${ulid()}`): Promise<{ id: string; value: string }> {
    const { body } = await admin('POST', '/admin/api-keys', { name, scopes })
    return body
  }

  async function newInstance(name = 'Support BR') {
    const id = await directory.create(workspace, { name })
    const { token } = directory.render(id, '')
    return { id, token, base: `/instances/${id}/token/${token}` }
  }

  async function newApp(instance: string) {
    const redirectUri = 'http://127.0.0.1:9/callback'
    const client = await oauth.register({ name: 'Assistant', redirectUris: [redirectUri] })
    const verifier = 'v'.repeat(43)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const { ticket } = await oauth.ask({ client, redirectUri, challenge, state: 's' })
    const code = await oauth.approve(ticket, { workspace: workspace as WorkspaceId, instance: instance as InstanceId })
    const tokens = await oauth.redeem(code!, { clientId: client.id, redirectUri, verifier })
    return { id: oauth.list(workspace as WorkspaceId)[0]!.id, ...tokens! }
  }

  /** Stores a row of the webhook log. By default it is the row of a failed event whose body is kept. */
  async function newLogRow(instance: string, eventId: string, change: Partial<LogRow> = {}) {
    const row: LogRow = {
      type: 'received',
      url: 'https://example.com/hook',
      status: 'failed',
      attempts: 6,
      tries: 6,
      body: 'parked',
      dueAt: null,
      code: 500,
      error: 'status 500',
      durationMs: 812,
      createdAt: decodeTime(eventId),
      finishedAt: null,
      failures: [],
      ...change,
    }
    const rows = logRows(createSealer(keyRing.of(instance)))
    const ops: Op[] = [rows.encode(keys.logEntry(instance, eventId), row), ...indexOps(instance, eventId, undefined, row)]
    if (row.body === 'parked') ops.push([keys.parkedEvent(instance, eventId), Buffer.from('sealed')])
    await store.commit({ ops })
    return row
  }

  return {
    app,
    /** The disk of the store. While it is full, every commit of the service fails. */
    disk,
    newLogRow,
    newApp,
    ask,
    admin,
    credentials,
    account,
    directory,
    oauth,
    connectLinks,
    main,
    store,
    sealer,
    keyRing,
    clock,
    time,
    log,
    lines,
    peer,
    readiness,
    double,
    workspace: workspace as WorkspaceId,
    changeWorkspace,
    newKey,
    newInstance,
    /** Stops the service. Throws if a log line or the metrics contain a credential. */
    async close() {
      assert.deepEqual(loggedCredentials(lines), [])
      assert.deepEqual(credentialsIn(await metrics()), [])
      await passed?.close()
      await through?.close()
      usage.stop()
      await account.stop()
      await store.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Opens another account object on the store of this service, as another process would. */
export async function accountBeside({ store, sealer, clock, log }: Service, instanceSlots: number | null = null) {
  const main = createMainRecords({ store, log })
  const account = createStoredAccount({ main, store, sealer, clock, log, adminKey: null, instanceSlots })
  await account.load()
  return account
}
