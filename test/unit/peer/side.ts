/** One service of a pair, in this process. It has a port for callers, and a link to the other service. */
import { createLog } from '../../../src/log.ts'
import { createTally } from '../../../src/metrics/tally.ts'
import { openPeerLink, type PeerLink, type PeerLinkOptions } from '../../../src/peer/peer-link.ts'
import { type Listening, listen } from '../../../src/serve.ts'
import { freePort } from '../../faults/ground.ts'

export const HOST = '127.0.0.1'
export const SECRET = new Uint8Array(32).fill(1)

export interface Side {
  server: Listening
  link: PeerLink
  port: number
  lines: string[]
  forwards(): Record<string, number>
}

const sides: Side[] = []

export async function openSide(options: Pick<PeerLinkOptions, 'lostAfterMs'> = {}): Promise<Side> {
  const server = await listen({ host: HOST, port: 0 })
  const tally = createTally()
  const lines: string[] = []
  const log = createLog({ level: 'fatal' }, 'link')
  log.warn = ((_: unknown, line: string) => void lines.push(line)) as typeof log.warn
  const port = await freePort()
  const link = await openPeerLink({ host: HOST, port, secretKey: SECRET, server, tally, log, ...options })
  const forwards = () => Object.fromEntries([...tally.numbers()].map(([key, count]) => [key.split('|')[1], count]))
  const side = { server, link, port, lines, forwards }
  sides.push(side)
  return side
}

export async function closeSides(): Promise<void> {
  for (const { server, link } of sides.splice(0)) {
    await link.close()
    await server.close()
  }
}
