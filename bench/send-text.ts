/**
 * Measures the processor time of a text through the whole gateway, in comparison with the bare library on the same
 * network. First both send texts that are not measured. Then rounds of the gateway and of the library alternate.
 */
import {
  amount,
  compared,
  type Measured,
  phoneNumber,
  phoneNumbers,
  ROUNDS,
  report,
  shownSide,
  spread,
  startBare,
  startBench,
  startLoaded,
} from './measure.ts'
import { sendInParts, sendRound } from './parts/rounds.ts'

const CONTACT = '5511988880001'
const SOME = amount(20, 3)
const MANY = amount(50, 4)
const RATE = 60

interface Case {
  name: string
  instances: number
  texts: number
  warm: number
  perSecond?: number
  /** True if the gateway is measured without a comparison with the library. */
  isAlone?: boolean
}
const cases: Case[] = [
  { name: 'saturated_1', instances: 1, texts: amount(400, 20), warm: amount(5_000, 20) },
  { name: `rate_${RATE}_1`, instances: 1, texts: amount(180, 20), warm: 0, perSecond: RATE },
  { name: `saturated_${SOME}`, instances: SOME, texts: amount(500, 40), warm: amount(1_000, 40) },
  { name: `saturated_${MANY}`, instances: MANY, texts: amount(800, 40), warm: amount(800, 40), isAlone: true },
]

const bench = await startBench()
try {
  await bench.sandbox.createContact(CONTACT, { sink: true, receipts: 'delivered' })
  const [ours, one, some] = await Promise.all([
    startLoaded(bench, { instances: MANY, env: { SVC_SHARDS: '1' } }),
    startBare(bench, [phoneNumber(500)]),
    startBare(bench, phoneNumbers(600, SOME)),
  ])
  const bare = { one, some }
  const result: Record<string, unknown> = {}
  for (const { name, instances, texts, warm, perSecond, isAlone = false } of cases) {
    const urls = ours.instances.slice(0, instances).map(({ api_url }) => `${api_url}/send-text`)
    const commits: number[] = []
    const through = async (count: number): Promise<Measured> => {
      const { commits_each, ...measured } = await sendRound(ours, { urls, contact: CONTACT, count, perSecond })
      commits.push(commits_each)
      return measured
    }
    const library = instances === 1 ? bare.one : bare.some
    async function byLibrary(count: number): Promise<Measured> {
      let ms = 0
      const { cpuMs, cores } = await library.cost(async () => {
        ms = await library.call('send', { count, to: [`${CONTACT}@s.whatsapp.net`], ...(perSecond ? { perSecond } : {}) })
      })
      return { per_s: (count * 1_000) / ms, cpu_ms: cpuMs / count, cores }
    }
    if (warm > 0) {
      if (!isAlone) await byLibrary(warm)
      await sendInParts(ours, { urls, contact: CONTACT, count: warm, perSecond })
    }
    commits.length = 0
    const measured = { ours: [] as Measured[], theirs: [] as Measured[] }
    for (let count = 0; count < ROUNDS; count++) {
      if (!isAlone) measured.theirs.push(await byLibrary(texts))
      measured.ours.push(await through(texts))
    }
    const sides = isAlone ? { gateway: shownSide(measured.ours) } : compared(measured.ours, measured.theirs)
    result[name] = { ...sides, commits_per_text: spread(commits, 1) }
  }
  report('CPU per text out and texts per second, whole gateway against the bare library', { ...result })
} finally {
  await bench.end()
}
