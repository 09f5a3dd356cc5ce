/**
 * The baseline: the library alone, keys in memory, as a process of its own. Pairs, sends the texts one after another, each after the ack
 * of the one before, and reports its own time and CPU. Started by `send-texts.ts`; arguments: network URL, root, control URL, count.
 */
import { EventEmitter } from 'node:events'
import { type AuthenticationState, initAuthCreds, makeWASocket, WA_CERT_DETAILS, type WASocket } from '@whiskeysockets/baileys'
import { pino } from 'pino'
import { createSandbox } from '../test/harness/sandbox.ts'

const [url, root, control, countText, phone, contact] = process.argv.slice(2) as [string, string, string, string, string, string]
const count = Number(countText)
const sandbox = createSandbox(control)

// The library's session entries go to the console, private keys included.
for (const name of ['log', 'info', 'warn', 'error'] as const) globalThis.console[name] = () => {}
WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(root, 'base64')

const rows = new Map<string, unknown>()
const auth: AuthenticationState = {
  creds: initAuthCreds(),
  keys: {
    get: async (type, ids) =>
      Object.fromEntries(ids.flatMap((id) => (rows.has(`${type} ${id}`) ? [[id, rows.get(`${type} ${id}`)]] : []))) as never,
    set: async (data) => {
      for (const [type, entries] of Object.entries(data)) {
        for (const [id, value] of Object.entries(entries ?? {}))
          value === null ? rows.delete(`${type} ${id}`) : rows.set(`${type} ${id}`, value)
      }
    },
  },
}

const life = new EventEmitter()
let sock: WASocket

function open() {
  sock = makeWASocket({
    auth,
    waWebSocketUrl: url,
    logger: pino({ level: 'silent' }),
    markOnlineOnConnect: false,
    emitOwnEvents: false,
  })
  sock.ev.on('creds.update', (update) => Object.assign(auth.creds, update))
  sock.ev.on('connection.update', ({ qr, connection, lastDisconnect }) => {
    if (qr) life.emit('qr', qr)
    if (connection === 'open') life.emit('open')
    const code = (lastDisconnect?.error as { output?: { statusCode?: number } } | undefined)?.output?.statusCode
    if (connection === 'close' && code === 515) open()
  })
}

const once = (event: string) => new Promise<string>((resolve) => life.once(event, resolve))

await sandbox.createPhone(phone)
const qr = once('qr')
open()
const opened = once('open')
await sandbox.scan(phone, await qr)
await opened

async function send(text: string) {
  const messageId = `3EB0${Math.random().toString(16).slice(2).toUpperCase().padEnd(18, '0').slice(0, 18)}`
  const ack = new Promise((resolve) => sock.ws.once(`CB:ack,id:${messageId}`, resolve))
  await sock.sendMessage(`${contact}@s.whatsapp.net`, { text, linkPreview: null }, { messageId })
  await ack
}

for (let index = 0; index < 50; index++) await send(`warm ${index}`)
const began = performance.now()
const before = process.cpuUsage()
for (let index = 0; index < count; index++) await send(`text ${index}`)
const cpu = process.cpuUsage(before)
process.stdout.write(`${JSON.stringify({ ms: performance.now() - began, cpuMs: (cpu.user + cpu.system) / 1_000 })}\n`)
process.exit(0)
