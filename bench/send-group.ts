/** Texts to groups of 10 to 500 members, against the bare library, which has the metadata of its groups cached. */
import {
  amount,
  compared,
  cpuMs,
  type Measured,
  phoneNumber,
  phoneNumbers,
  ROUNDS,
  report,
  SMOKE,
  startBare,
  startBench,
  startLoaded,
} from './measure.ts'

const SIZES = SMOKE ? [10, 50] : [10, 50, 100, 500]
/** Of a large group the bare library sends a few a second. */
const textsTo = (members: number) => amount(Math.max(10, Math.round(2_000 / members)), 5)
const MEMBERS = phoneNumbers(2_000, Math.max(...SIZES))
const BARE = phoneNumber(500)

const bench = await startBench()
try {
  for (const phone of MEMBERS) await bench.sandbox.createContact(phone, { sink: true, receipts: 'none' })
  const ours = await startLoaded(bench, { instances: 1, env: { SVC_SHARDS: '1' } })
  const bare = await startBare(bench, [BARE])
  const result: Record<string, unknown> = {}
  for (const size of SIZES) {
    const group = async (owner: string) =>
      (await bench.sandbox.createGroup({ subject: `of ${size}`, owner, participants: [owner, ...MEMBERS.slice(0, size - 1)] })).id
    const [mine, theirs] = [await group(phoneNumber(0)), await group(BARE)]
    const body = JSON.stringify({ phone: mine.replace('@g.us', '-group'), message: 'text {n}', link_preview: false })
    const urls = ours.instances.map(({ api_url }) => `${api_url}/send-text`)
    async function through(count: number): Promise<Measured> {
      await ours.receiver.call('reset')
      const began = Date.now()
      let ended = began
      const { cpuMs: cpu } = await ours.cost(async () => {
        const arrived = ours.receiver.call('until', { delivery: count })
        await ours.driver.call('drive', { urls, bodies: [body], count, connections: 16 })
        ended = (await arrived).delivery!.last
      })
      return { per_s: (count * 1_000) / (ended - began), cpu_ms: cpu / count }
    }
    async function byLibrary(count: number): Promise<Measured> {
      const before = cpuMs(bare.pid)
      const ms = await bare.call('send', { count, to: [theirs] })
      return { per_s: (count * 1_000) / ms, cpu_ms: (cpuMs(bare.pid) - before) / count }
    }
    const texts = textsTo(size)
    // The first text gives everybody the key.
    await byLibrary(texts)
    await through(texts)
    const measured = { ours: [] as Measured[], theirs: [] as Measured[] }
    for (let count = 0; count < ROUNDS; count++) {
      measured.theirs.push(await byLibrary(texts))
      measured.ours.push(await through(texts))
    }
    result[`of_${size}`] = compared(measured.ours, measured.theirs)
  }
  report('texts to groups, whole gateway against the bare library', result)
} finally {
  await bench.end()
}
