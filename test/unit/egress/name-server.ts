/** A name server on this machine (RFC 1035, one question per packet). It gives prepared answers, or no answer. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

/**
 * Returns the addresses of a name; `null` if the server must not answer, and undefined if the name does not exist.
 */
export type Zone = (name: string, family: 4 | 6) => readonly string[] | null | undefined

const A = 1
const AAAA = 28

export async function nameServer(t: TestContext, zone: Zone) {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (packet, { port, address }) => {
    const { name, type, end } = questionOf(packet)
    const family = type === A ? 4 : 6
    asked.push(`${name} ${family}`)
    const addresses = zone(name, family)
    if (addresses === null) return
    const answers = (addresses ?? []).map((text) => record(type, bytesOf(text)))
    const header = Buffer.alloc(12)
    packet.copy(header, 0, 0, 2)
    // The flags say that this is an answer, and that recursion is desired and available. The last digit 3 means that
    // the name does not exist.
    header.writeUInt16BE(0x8180 | (addresses === undefined ? 3 : 0), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(answers.length, 6)
    socket.send(Buffer.concat([header, packet.subarray(12, end), ...answers]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return { server: `127.0.0.1:${socket.address().port}`, asked }
}

function questionOf(packet: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = packet[at]!; length !== 0; length = packet[at]!) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const type = packet.readUInt16BE(at + 1)
  if (type !== A && type !== AAAA) throw new Error(`the test's name server does not answer questions of type ${type}`)
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 }
}

/** Builds a record for the name in the question (0xc00c points to that name). The record is valid for a minute. */
function record(type: number, address: Buffer): Buffer {
  const head = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length])
  return Buffer.concat([head, address])
}

function bytesOf(text: string): Buffer {
  if (!text.includes(':')) return Buffer.from(text.split('.').map(Number))
  const [head = '', tail = ''] = text.split('::')
  const groups = (part: string) => part.split(':').filter(Boolean)
  const missing = 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
