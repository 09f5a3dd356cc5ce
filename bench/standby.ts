/**
 * Measures the cost of passing a request on from a standby to the active service: the time that it adds to a small
 * request, and the rate of 100 MB in each direction. Direct requests alternate with requests that are passed on. The
 * client, the standby and the active service are three processes, so they keep a machine with two cores busy.
 */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { cpus, loadavg } from 'node:os'
import { amount, median, ROUNDS, report, round, spread } from './measure.ts'
import { startPart } from './parts/calls.ts'
import type { Peer } from './parts/peer.ts'

const REQUESTS = amount(2_000, 50)
const WARM = amount(500, 10)
const BYTES = amount(1_600, 16) * 65_536
const MB = 1e6
const PIECE = Buffer.alloc(65_536)

// This timer keeps the bench alive, because the child processes do not.
const awake = setInterval(() => {}, 60_000)
const [active, standby] = [startPart<Peer>('peer.ts'), startPart<Peer>('peer.ts')]
const [{ url: direct, port }, { url: passedOn }] = [await active.call('places'), await standby.call('places')]
await active.call('serve')
await standby.call('follow', port)
const agent = new Agent({ keepAlive: true })

async function answered(asked: ReturnType<typeof request>): Promise<void> {
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`answered with ${response.statusCode}`)
  response.resume()
  await once(response, 'end')
}

async function time(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const get = (base: string, path = '/0') => answered(request(base + path, { agent }).end())

async function upload(base: string): Promise<void> {
  const asked = request(`${base}/up`, { agent, method: 'POST', headers: { 'content-length': BYTES } })
  const answer = answered(asked)
  for (let sent = 0; sent < BYTES; sent += PIECE.byteLength) if (!asked.write(PIECE)) await once(asked, 'drain')
  asked.end()
  await answer
}

async function small(count: number) {
  const times = { direct: [] as number[], passedOn: [] as number[] }
  for (let at = 0; at < count; at++) {
    times.direct.push(await time(() => get(direct)))
    times.passedOn.push(await time(() => get(passedOn)))
  }
  return times
}

const rateOf = async (work: () => Promise<void>) => BYTES / MB / ((await time(work)) / 1_000)

await small(WARM)
const p50: Record<'direct' | 'passed_on' | 'added', number[]> = { direct: [], passed_on: [], added: [] }
const ways = { download_direct: [], download_passed_on: [], upload_direct: [], upload_passed_on: [] } as Record<string, number[]>
for (let at = 0; at < ROUNDS; at++) {
  const times = await small(REQUESTS)
  const [one, other] = [median(times.direct), median(times.passedOn)]
  p50.direct.push(one)
  p50.passed_on.push(other)
  p50.added.push(other - one)
  for (const [way, base] of [
    ['direct', direct],
    ['passed_on', passedOn],
  ] as const) {
    ways[`download_${way}`]!.push(await rateOf(() => get(base, `/${BYTES}`)))
    ways[`upload_${way}`]!.push(await rateOf(() => upload(base)))
  }
}
clearInterval(awake)
agent.destroy()
report('What does a request that a standby passes on cost?', {
  load: round(loadavg()[0]!),
  cores: cpus().length,
  p50_ms: Object.fromEntries(Object.entries(p50).map(([name, values]) => [name, spread(values)])),
  mb_per_s: Object.fromEntries(Object.entries(ways).map(([name, values]) => [name, spread(values, 0)])),
})
