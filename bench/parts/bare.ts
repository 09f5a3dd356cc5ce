/**
 * The baseline of the benches: the library alone, in a separate process, with the settings that its documentation
 * recommends. Below Node 24, all sockets share one AsyncLocalStorage, because each further one slows down all promises
 * there. The argument `plain` switches this sharing off. The baseline has privacy tokens, because without them the
 * library makes another query for each text.
 */
import { EventEmitter } from 'node:events'
import type { AuthenticationState, GroupMetadata, WASocket } from '@whiskeysockets/baileys'
import { pino } from 'pino'
import { Agent } from 'undici'
import { createSandbox } from '../../test/harness/sandbox.ts'
import { shareAsyncLocalStorage } from './async-storage.ts'
import { answerCalls } from './calls.ts'
import { summary } from './numbers.ts'
import { epoch, leftAt } from './stamp.ts'

if (process.argv[2] !== 'plain') shareAsyncLocalStorage(false)
const { initAuthCreds, jidDecode, makeWASocket, WA_CERT_DETAILS } = await import('@whiskeysockets/baileys')
const { SenderKeyRecord } = await import('@whiskeysockets/baileys/lib/Signal/Group/index.js')

// The library prints sessions to the console, including their private keys. So the console is silenced.
for (const name of ['log', 'info', 'warn', 'error'] as const) globalThis.console[name] = () => {}

interface Account {
  sock: WASocket
  jid: string
}
const accounts: Account[] = []
const groups = new Map<string, GroupMetadata>()
const life = new EventEmitter()
/**
 * Refuses every HTTP request of the library. Otherwise it would download settings from a media host, which this bench
 * does not have.
 */
const dispatcher = new Agent({ connect: (_, done) => done(new Error('this bench has no media host'), null) })

let received = 0
const latencies: number[] = []
const stamps = { first: Number.POSITIVE_INFINITY, last: 0 }

/** Returns a privacy token. If the library has a token for a person, it does not query the network for one. */
const token = () => ({ token: Buffer.alloc(0), senderTimestamp: Math.floor(Date.now() / 1_000) })

function memory(): AuthenticationState {
  const rows = new Map<string, unknown>()
  const find = (type: string, id: string) =>
    rows.get(`${type} ${id}`) ?? (type === 'tctoken' && id.includes('@') ? token() : undefined)
  return {
    creds: initAuthCreds(),
    keys: {
      get: async (type, ids) =>
        Object.fromEntries(
          ids.flatMap((id) => {
            const value = find(type, id)
            return value === undefined ? [] : [[id, value]]
          }),
        ) as never,
      set: async (data) => {
        for (const [type, entries] of Object.entries(data)) {
          for (const [id, value] of Object.entries(entries ?? {}))
            value === null ? rows.delete(`${type} ${id}`) : rows.set(`${type} ${id}`, value)
        }
      },
    },
  }
}

async function pair(url: string, control: string, phone: string): Promise<Account> {
  const sandbox = createSandbox(control)
  const auth = memory()
  const account = { jid: `${phone}@s.whatsapp.net` } as Account
  await sandbox.createPhone(phone)
  await new Promise<void>((resolve, reject) => {
    function open() {
      const sock = makeWASocket({
        auth,
        waWebSocketUrl: url,
        logger: pino({ level: 'silent' }),
        markOnlineOnConnect: false,
        emitOwnEvents: false,
        cachedGroupMetadata: async (jid) => groups.get(jid),
        options: { dispatcher } as unknown as RequestInit,
      })
      account.sock = sock
      sock.ev.on('creds.update', (update) => Object.assign(auth.creds, update))
      sock.ev.on('messages.upsert', ({ messages }) => {
        for (const { key, message } of messages) {
          const text = message?.conversation ?? message?.extendedTextMessage?.text
          if (key.fromMe || text == null) continue
          received++
          const left = leftAt(text)
          if (left !== undefined) {
            latencies.push(epoch() - left)
            stamps.first = Math.min(stamps.first, left)
            stamps.last = Math.max(stamps.last, left)
          }
          life.emit('received')
        }
      })
      sock.ev.on('connection.update', ({ qr, connection, lastDisconnect }) => {
        if (qr) sandbox.scan(phone, qr).catch(reject)
        if (connection === 'open') resolve()
        const code = (lastDisconnect?.error as { output?: { statusCode?: number } } | undefined)?.output?.statusCode
        if (connection === 'close' && code === 515) open()
      })
    }
    open()
  })
  return account
}

async function send({ sock }: Account, to: string, text: string) {
  const messageId = `3EB0${Math.random().toString(16).slice(2).toUpperCase().padEnd(18, '0').slice(0, 18)}`
  const ack = new Promise((resolve) => sock.ws.once(`CB:ack,id:${messageId}`, resolve))
  await sock.sendMessage(to, { text, linkPreview: null }, { messageId })
  await ack
}

const calls = {
  async connect(network: { url: string; root: string; control: string }, phones: string[]) {
    WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(network.root, 'base64')
    const AT_ONCE = 8
    for (let start = 0; start < phones.length; start += AT_ONCE) {
      const some = phones.slice(start, start + AT_ONCE)
      accounts.push(...(await Promise.all(some.map((phone) => pair(network.url, network.control, phone)))))
    }
  },
  /**
   * Sends `count` texts in all. The accounts share them, and each sends its next text after the ack of the previous
   * one, or at a fixed rate with `perSecond`. Resolves with the time in ms.
   */
  async send({ count, to, prefix = 'text ', perSecond }: { count: number; to: string[]; prefix?: string; perSecond?: number }) {
    for (const jid of to)
      if (jid.endsWith('@g.us') && !groups.has(jid)) groups.set(jid, await accounts[0]!.sock.groupMetadata(jid))
    let next = 0
    const began = performance.now()
    await Promise.all(
      accounts.map(async (account, index) => {
        while (next < count) {
          const number = next++
          const due = perSecond === undefined ? 0 : began + (number * 1_000) / perSecond - performance.now()
          if (due > 1) await new Promise((resolve) => setTimeout(resolve, due))
          await send(account, to[index % to.length]!, `${prefix}${number}`)
        }
      }),
    )
    return performance.now() - began
  },
  /**
   * Advances the sender key of a group by this number of texts without sending them, as the library's `GroupCipher`
   * does for each text. The record is read and written once for all texts, because one read and write takes 80 ms with
   * 1,500 skipped keys.
   */
  async age(group: string, count: number) {
    const { keys, creds } = accounts[0]!.sock.authState
    const { id, lid } = creds.me!
    const meId = groups.get(group)?.addressingMode !== 'pn' && lid ? lid : id
    const { user, device } = jidDecode(meId)!
    // These two lines build the name in the same way as the library's `jidToSignalSenderKeyName`.
    const sender = meId.endsWith('@lid') ? `${user}_1` : user
    const name = `${group}::${sender}::${device ?? 0}`
    const { [name]: stored } = await keys.get('sender-key', [name])
    if (stored === undefined) throw new Error(`nothing was sent to ${group} as ${meId}`)
    const record = SenderKeyRecord.deserialize(stored)
    const state = record.getSenderKeyState()!
    for (let left = count; left > 0; left--) {
      const skipped = state.getSenderChainKey()
      state.addSenderMessageKey(skipped.getSenderMessageKey())
      state.setSenderChainKey(skipped.getNext().getNext())
    }
    await keys.set({ 'sender-key': { [name]: Buffer.from(JSON.stringify(record.serialize())) } })
  },
  changed(group: string) {
    groups.delete(group)
  },
  reset() {
    received = 0
    latencies.length = 0
    stamps.first = Number.POSITIVE_INFINITY
    stamps.last = 0
  },
  /** Resolves when this number of texts has arrived since `reset`. Rejects if no text arrives for 30 s. */
  until: (wanted: number) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${received} of ${wanted} texts arrived`)), 30_000)
      const look = () => {
        timer.refresh()
        if (received < wanted) return
        clearTimeout(timer)
        life.off('received', look)
        resolve()
      }
      life.on('received', look)
      look()
    }),
  latency: () => ({ ...summary(latencies), left_within_ms: stamps.last - stamps.first }),
  close() {
    for (const { sock } of accounts) void sock.end(undefined)
    accounts.length = 0
  },
}
export type Bare = typeof calls
answerCalls(calls)
