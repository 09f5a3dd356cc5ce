/**
 * Sends and receives a message with an unmodified Baileys while each fault of the network is set, one after the other.
 * The program is compiled and run in an empty project in which the packed package is installed.
 */
import {
  downloadMediaMessage,
  makeWASocket,
  useMultiFileAuthState,
  WA_CERT_DETAILS,
  type WAMessage,
  type WASocket,
} from '@whiskeysockets/baileys'
import { type FaultInput, startSandbox } from 'svc-sandbox'
import { baileysOptions } from 'svc-sandbox/baileys'

const [ANN, BEN] = ['5511900000001', '5511900000002'] as const

/** Faults at the beginning of a connection. They have an effect only when the client connects again. */
const AT_START: FaultInput[] = [
  { on: 'connect', do: 'cut' },
  { on: 'connect', do: 'drop' },
  { on: 'connect', do: { http_status: 503 } },
  { on: 'connect', do: { delay_ms: 200 } },
  { on: 'handshake', do: 'cut' },
  { on: 'handshake', do: 'drop' },
  { on: 'handshake', do: { corrupt: true } },
  { on: 'login', do: 'cut' },
  { on: 'login', do: { failure: 503 } },
  { on: 'login', do: { stream_error: 515 } },
  { on: 'ib', do: 'drop' },
]

const AFTERWARDS: FaultInput[] = [
  { on: 'query', do: 'cut' },
  { on: 'query', do: 'drop' },
  { on: 'query', do: { query_error: [500, 'internal-server-error'] } },
  { on: 'message', do: 'drop' },
  { on: 'message', do: 'cut' },
  { on: 'message', do: 'unanswered' },
  { on: 'message', do: 'duplicate' },
  { on: 'message', do: { ack_error: 479 } },
  { on: 'message', do: { corrupt: true } },
  { on: 'message', do: { corrupt: true }, match: { direction: 'from_client' } },
  { on: 'message', do: { delay_ms: 200 } },
  { on: 'message', do: { stream_error: 'replaced' } },
  { on: 'message', do: { stream_error: 500 } },
  { on: 'receipt', do: 'drop' },
  { on: 'receipt', do: 'cut' },
  { on: 'presence', do: 'drop' },
]

/** Faults of uploads and downloads of media. After each fault, the file is sent or downloaded again. */
const OF_MEDIA: FaultInput[] = [
  { on: 'upload', do: { http_status: 503 } },
  { on: 'upload', do: 'cut' },
  { on: 'download', do: { http_status: 503 } },
  { on: 'download', do: { corrupt: true } },
]
const ALL = [...AT_START, ...AFTERWARDS, ...OF_MEDIA]

const sandbox = await startSandbox()
sandbox.createPhone({ phone: ANN, name: 'Ann' })
sandbox.createContact(BEN, { name: 'Ben' })
WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(sandbox.network.root, 'base64')

const { state, saveCreds } = await useMultiFileAuthState('auth')
const options = baileysOptions(sandbox.network)
const received = new Set<string>()
let document: WAMessage | undefined
let open: WASocket | undefined
let opened = 0

function connect() {
  const socket = makeWASocket({
    auth: state,
    connectTimeoutMs: 3_000,
    defaultQueryTimeoutMs: 3_000,
    ...options,
  })
  // Baileys waits forever if the server refuses the WebSocket upgrade, so this client ends the socket.
  socket.ws.on('unexpected-response', () => socket.end(new Error('The network refused the connection.')))
  socket.ev.on('creds.update', saveCreds)
  socket.ev.on('connection.update', async ({ qr, connection }) => {
    if (qr) await sandbox.scan(ANN, qr)
    if (connection === 'open') {
      open = socket
      opened += 1
    }
    if (connection === 'close') {
      open = undefined
      connect()
    }
  })
  socket.ev.on('messages.upsert', ({ messages }) => {
    for (const each of messages) {
      const { message } = each
      if (message?.documentMessage) document = each
      const text = message?.conversation ?? message?.extendedTextMessage?.text
      if (text) received.add(text)
    }
  })
}

/** Repeats a step until it succeeds. Throws after a minute. */
async function eventually(what: string, step: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await step()); ) {
    if (Date.now() > end) throw new Error(`${what} did not happen within a minute.`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/**
 * Sends a text. Returns false if this failed: Baileys does not repeat a lost message, so the caller sends it again, as
 * a user of Baileys would.
 */
async function send(text: string): Promise<boolean> {
  const seen = (await sandbox.inbox(BEN, 0, 0)).items.at(-1)?.seq ?? 0
  try {
    await open?.sendMessage(`${BEN}@s.whatsapp.net`, { text })
  } catch {
    // The connection was closed before the message was sent; the next attempt uses the next connection.
    return false
  }
  if (open === undefined) return false
  return (await sandbox.inbox(BEN, seen, 3_000)).items.some((item) => item.text === text)
}

/** Sends a file to Ben, and receives one from Ben. */
async function exchangeFiles(from: string): Promise<void> {
  const bytes = Buffer.from('a file')
  const seen = (await sandbox.inbox(BEN, 0, 0)).items.at(-1)?.seq ?? 0
  await eventually(`a file to Ben after ${from}`, async () => {
    const content = { document: bytes, mimetype: 'text/plain', fileName: 'a.txt' }
    await open?.sendMessage(`${BEN}@s.whatsapp.net`, content).catch(() => {})
    return (await sandbox.inbox(BEN, seen, 1_000)).items.some(({ media }) => media?.bytes === bytes.length && !media.error)
  })
  document = undefined
  await sandbox.sendFromContact(BEN, ANN, { document: bytes.toString('base64'), mime: 'text/plain', file_name: 'a.txt' })
  await eventually(`a file to Ann after ${from}`, async () => {
    const read = document && (await downloadMediaMessage(document, 'buffer', { options: options.options }).catch(() => undefined))
    return read?.equals(bytes) ?? false
  })
}

async function survive(fault: FaultInput, number: number): Promise<void> {
  const from = JSON.stringify(fault)
  const before = opened
  const isAtStart = AT_START.includes(fault)
  sandbox.addFault({ ...fault, times: 1 })
  if (isAtStart) {
    sandbox.cut(ANN)
    await eventually(`a connection after ${from}`, () => opened > before && open !== undefined)
  }
  if (OF_MEDIA.includes(fault)) await exchangeFiles(from)
  if (fault.on === 'presence') await open?.sendPresenceUpdate('available')
  await eventually(`a text to Ben after ${from}`, () => send(`to Ben ${number}`))
  await sandbox.sendFromContact(BEN, ANN, { text: `to Ann ${number}` })
  await eventually(`a text to Ann after ${from}`, () => received.has(`to Ann ${number}`))
  sandbox.clearFaults()
  process.stdout.write(`survived ${from}\n`)
}

connect()
await eventually('the first connection', () => open !== undefined)
for (const [number, fault] of ALL.entries()) await survive(fault, number)
process.stdout.write(`all ${ALL.length} faults\n`)
process.exit()
