/**
 * The HTTP application over a real store, account and directory. Only the engine is a double: these tests ask about rules of HTTP, and
 * the engine interface is where HTTP ends. What the engine does is asked in `test/e2e`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { createAccount } from '../../../src/account/workspaces.ts'
import { createDirectory } from '../../../src/directory/instances.ts'
import { Failure, type FailureCode } from '../../../src/domain/failures.ts'
import type { WorkspaceId } from '../../../src/domain/ids.ts'
import { CREATED, type InstanceConfig, type RuntimeState } from '../../../src/domain/instance.ts'
import type { Workspace } from '../../../src/domain/workspace.ts'
import { parseRanges } from '../../../src/egress/addresses.ts'
import { checkProxy, checkUrl } from '../../../src/egress/targets.ts'
import type { Engine, EngineEvent } from '../../../src/engine/engine.ts'
import { createApp } from '../../../src/http/app.ts'
import { createExposition } from '../../../src/metrics/exposition.ts'
import { createLedger } from '../../../src/metrics/ledger.ts'
import { createTally } from '../../../src/metrics/tally.ts'
import { openKeyRing } from '../../../src/storage/key-ring.ts'
import { openStore } from '../../../src/storage/open.ts'
import { readLargeBody } from '../../../workers/media/large-body.ts'

export const METRICS_TOKEN = 'numbers-for-the-operator'
export const ADMIN_KEY = `svc_admin_${'a'.repeat(48)}`

type Answer = (instance: string, operation: string, input: unknown) => unknown

/** Starts every session into `qr`, answers what it is told to answer, and remembers what it was asked. */
export function doubleEngine() {
  const listeners: ((event: EngineEvent) => void)[] = []
  const calls: { instance: string; operation: string; input: unknown }[] = []
  const configured: InstanceConfig[] = []
  const stopped: string[] = []
  const double = {
    calls,
    configured,
    stopped,
    answer: ((_instance, operation) => {
      throw new Error(`the engine double was not told what ${operation} answers`)
    }) as Answer,
    startState: { ...CREATED, status: 'qr', reason: 'pairing_required' } as RuntimeState,
    startFailure: undefined as FailureCode | undefined,
    tell: (instance: string, state: Partial<RuntimeState>) => {
      for (const listener of listeners) listener({ type: 'state', instance, state: { ...CREATED, ...state } })
    },
  }
  const engine: Engine = {
    async start() {
      if (double.startFailure) throw new Failure(double.startFailure)
      return double.startState
    },
    configure: async (config) => void configured.push(config),
    stop: async (instance) => void stopped.push(instance),
    async call(instance, { operation, input }) {
      calls.push({ instance, operation, input })
      return double.answer(instance, operation, input) as never
    },
    onEvent: (listener) => void listeners.push(listener),
    isReady: () => true,
    close: async () => {},
  }
  return Object.assign(double, { engine })
}

const FILE = { mimeType: 'application/octet-stream', fileName: 'a.bin', fileSha256: null }

export type Service = Awaited<ReturnType<typeof openService>>

export interface ServiceOptions {
  trustedProxies?: string[]
  adminAllowedIps?: string[]
  instanceSlots?: number
  /** The service makes its admin key, and may make another; otherwise it is ADMIN_KEY, which the environment owns. */
  hasOwnAdminKey?: boolean
  createWaitMs?: number
  /** False: `/metrics` asks for none, and answers who is near. Otherwise it is METRICS_TOKEN. */
  hasMetricsToken?: boolean
}

export async function openService(options: ServiceOptions = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'svc-http-'))
  const store = await openStore(`lmdb:${dir}`)
  const keyRing = await openKeyRing(store, new Uint8Array(32).fill(7), { blobsDir: join(dir, 'blobs') })
  const sealer = keyRing.main
  const time = { now: Date.parse('2026-01-31T12:00:00.000Z') }
  const clock = { now: () => time.now }
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = []
  const line = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: fields as Record<string, unknown>, message })
  const log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  const adminKey = options.hasOwnAdminKey ? null : ADMIN_KEY
  const account = createAccount({ store, sealer, clock, log, adminKey, instanceSlots: options.instanceSlots ?? 50 })
  await account.load()
  const credentials = { adminKey: (await account.firstStart()) ?? ADMIN_KEY }
  const double = doubleEngine()
  const allow = parseRanges([])
  const directory = createDirectory({
    store,
    sealer,
    keyRing,
    account,
    engine: double.engine,
    clock,
    log,
    checkUrl: (url) => checkUrl(url, allow),
    checkProxy: (url) => checkProxy(url, allow),
    createWaitMs: options.createWaitMs ?? 1_000,
  })
  const peer = { address: '198.51.100.7', hasLeft: false }
  const readiness = {
    stopping: false,
    isStopping: () => readiness.stopping,
    checks: { database: async () => true, session_store: async () => true, engine: async () => true, disk: async () => true },
    media: 'ok' as const,
  }
  const tally = createTally()
  const app = createApp({
    account,
    directory,
    engine: double.engine,
    readiness,
    // The link of the example leads to a file, every other nowhere.
    receivedFile: async (link) =>
      link === 'c2VhbGVkLWxpbms' ? { file: FILE, stream: new Blob(['file']).stream(), length: 4 } : undefined,
    clock,
    steadyClock: clock,
    log,
    newRequestId: () => ulid(),
    peer: () => peer.address,
    hasLeft: () => peer.hasLeft,
    tally,
    metrics: createExposition({
      tally,
      ledger: createLedger(),
      clock,
      instances: directory.countByStatus,
      refresh: async () => {},
    }),
    isMetricsToken: options.hasMetricsToken === false ? undefined : (value) => value === METRICS_TOKEN,
    baseUrl: 'https://gw.example.com',
    trustedProxies: options.trustedProxies ?? [],
    adminAllowedIps: options.adminAllowedIps ?? [],
    docs: true,
    async readLargeBody(route, fields, pieces) {
      const result = readLargeBody({ route, ...fields, pieces })
      if ('err' in result) throw Failure.from(result.err)
      return result.ok
    },
  })

  const workspace = account.findAdmin(credentials.adminKey)!
  const changeWorkspace = (change: (current: Workspace) => Partial<Workspace>) =>
    account.transact(workspace, (current) => ({ next: { ...current, ...change(current) }, ops: [] }))

  /** JSON in, JSON out. */
  async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await app.request(`http://gw.test${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = response.headers.get('Content-Type')?.startsWith('application/json') ? await response.text() : undefined
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
    return { status: response.status, headers: response.headers, response, body: text ? (JSON.parse(text) as any) : undefined }
  }

  const admin = (method: string, path: string, body?: unknown) =>
    ask(method, path, body, { Authorization: `Bearer ${credentials.adminKey}` })

  async function newKey(scopes: string[], name = `key ${ulid()}`): Promise<{ id: string; value: string }> {
    const { body } = await admin('POST', '/admin/api-keys', { name, scopes })
    return body
  }

  async function newInstance(name = 'Support BR') {
    const id = await directory.create(workspace, { name })
    const { token } = directory.render(id, '')
    return { id, token, base: `/instances/${id}/token/${token}` }
  }

  return {
    app,
    ask,
    admin,
    /** What `admin` sends. */
    credentials,
    account,
    directory,
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
    async close() {
      await account.stop()
      await store.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
