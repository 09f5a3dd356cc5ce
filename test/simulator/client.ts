import { setTimeout as pause } from 'node:timers/promises'
import makeWASocket, {
  type AuthenticationState,
  type BaileysEventMap,
  initAuthCreds,
  proto,
  type SignalDataTypeMap,
  type UserFacingSocketConfig,
  WA_CERT_DETAILS,
  type WAMessage,
  type WASocket,
} from '@whiskeysockets/baileys'
import pino from 'pino'
import type { Simulator } from '../harness/network.ts'
import '../harness/library-deadlines.ts'

/** An unmodified Baileys client, with its keys in memory. It collects everything that the library reports. */
export interface Client {
  readonly auth: AuthenticationState
  readonly socket: WASocket
  readonly messages: (WAMessage & { upsert: string })[]
  readonly events: { [E in keyof BaileysEventMap]?: BaileysEventMap[E][] }
  /**
   * Resolves with the first result of `look` that is neither undefined nor false. `look` is called now, after each
   * event, and at intervals.
   */
  until<T>(look: () => T | undefined | false, what: string): Promise<T>
  ended(): Promise<{ code: number | undefined; message: string; data: unknown }>
  close(): Promise<void>
}

/**
 * Timers of this length (in ms) or more must not keep a finished test alive. If a socket ends while queries run, the
 * library leaves timers of 30 and 60 s behind.
 */
const LEFT_BEHIND = 20_000
const setTimer = globalThis.setTimeout
globalThis.setTimeout = Object.assign(
  ((job: () => void, delayMs?: number, ...rest: []) => {
    const timer = setTimer(job, delayMs, ...rest)
    return delayMs !== undefined && delayMs >= LEFT_BEHIND ? timer.unref() : timer
  }) as typeof setTimeout,
  setTimer,
)

/**
 * Time limit in ms for anything that the network does. Everything runs on this machine, so only a failing test waits
 * this long.
 */
const PATIENCE = 60_000

export function memoryAuth(): AuthenticationState {
  const store = new Map<string, string>()
  return {
    creds: initAuthCreds(),
    keys: {
      async get(type, ids) {
        const found: Record<string, SignalDataTypeMap[typeof type]> = {}
        for (const id of ids) {
          const text = store.get(`${type} ${id}`)
          if (text === undefined) continue
          const value = JSON.parse(text, revive)
          // JSON turns the bytes of a protobuf object into base64, so `fromObject` restores the object.
          found[id] = type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value) : value
        }
        return found
      },
      async set(data) {
        for (const [type, entries] of Object.entries(data)) {
          for (const [id, value] of Object.entries(entries ?? {})) {
            if (value === null || value === undefined) store.delete(`${type} ${id}`)
            else store.set(`${type} ${id}`, JSON.stringify(value, replace))
          }
        }
      },
    },
  }
}

function replace(_key: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  const isSaved = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value
  return isSaved ? { $bytes: Buffer.from(value.data as number[]).toString('base64') } : value
}

function revive(_key: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && '$bytes' in value ? Buffer.from(String(value.$bytes), 'base64') : value
}

const logger = pino({ level: process.env.SIM_LOG ?? 'silent' })

export function connect(simulator: Simulator, auth = memoryAuth(), config: Partial<UserFacingSocketConfig> = {}): Client {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(simulator.root, 'base64')
  const socket = makeWASocket({
    auth,
    logger,
    waWebSocketUrl: simulator.url,
    markOnlineOnConnect: false,
    retryRequestDelayMs: 1,
    ...config,
  })
  const messages: Client['messages'] = []
  const events: Record<string, unknown[]> = {}
  const waiting = new Set<() => void>()
  let end: { code: number | undefined; message: string; data: unknown } | undefined

  socket.ev.process((batch) => {
    for (const [name, data] of Object.entries(batch)) {
      events[name] = [...(events[name] ?? []), data]
    }
    const upsert = batch['messages.upsert']
    for (const message of upsert?.messages ?? []) messages.push(Object.assign(message, { upsert: upsert?.type ?? '' }))
    if (batch['creds.update']) Object.assign(auth.creds, batch['creds.update'])
    const update = batch['connection.update']
    if (update?.connection === 'close') {
      const error = update.lastDisconnect?.error as
        | { output?: { statusCode?: number }; message?: string; data?: unknown }
        | undefined
      end = { code: error?.output?.statusCode, message: error?.message ?? '', data: error?.data }
    }
    for (const wake of waiting) wake()
  })

  async function until<T>(look: () => T | undefined | false, what: string): Promise<T> {
    const deadline = Date.now() + PATIENCE
    for (;;) {
      const found = look()
      if (found !== undefined && found !== false) return found
      if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`)
      // The condition is checked again after each event, and also at intervals, because some changes cause no event.
      await Promise.race([new Promise<void>((resolve) => waiting.add(resolve)), pause(100)])
      waiting.clear()
    }
  }

  return {
    auth,
    socket,
    messages,
    events: events as Client['events'],
    until,
    ended: () => until(() => end, 'the end of the connection'),
    async close() {
      if (end) return
      socket.end(undefined)
      await until(() => end, 'the end of the connection')
    },
  }
}

export function lastQr(client: Client): Promise<string> {
  return client.until(() => client.events['connection.update']?.findLast((update) => update.qr)?.qr, 'a code')
}

export const isOpen = (client: Client) =>
  client.until(() => client.events['connection.update']?.some((update) => update.connection === 'open'), 'an open connection')

/** Resolves when the client is connected and has received all messages that waited on the network. */
export async function isReady(client: Client) {
  await isOpen(client)
  await client.until(
    () => client.events['connection.update']?.some((update) => update.receivedPendingNotifications),
    'the offline queue',
  )
}

export async function pair(simulator: Simulator, phone: string, config: Partial<UserFacingSocketConfig> = {}): Promise<Client> {
  const first = connect(simulator, memoryAuth(), config)
  await simulator.control.scan(phone, await lastQr(first))
  const { code } = await first.ended()
  if (code !== 515) throw new Error(`pairing ended with ${code}`)
  const client = await login(simulator, first.auth, config)
  await isSettled(simulator, phone, client)
  return client
}

/**
 * Resolves when the client has answered all stanzas for its phone. A test that sends earlier could lose its first
 * message, because the library changes a session record in two transactions.
 */
export async function isSettled(simulator: Simulator, phone: string, client: Client) {
  await client.until(() => client.events['messaging-history.set']?.some((set) => set.progress === 100), 'recent history')
  await client.until(() => {
    const phones = simulator.control.state().phones as { phone: string; devices: { pending: number }[] }[]
    return phones.find((item) => item.phone === phone)?.devices.every(({ pending }) => pending === 0)
  }, 'an answer to everything')
}

export async function login(simulator: Simulator, auth: AuthenticationState, config: Partial<UserFacingSocketConfig> = {}) {
  const client = connect(simulator, auth, config)
  await isReady(client)
  return client
}

export const textOf = (message: WAMessage) =>
  message.message?.conversation ?? message.message?.extendedTextMessage?.text ?? undefined

export const received = (client: Client, text: string) =>
  client.until(() => client.messages.find((message) => textOf(message) === text), `the text "${text}"`)

export const jidOf = (phone: string) => `${phone}@s.whatsapp.net`
