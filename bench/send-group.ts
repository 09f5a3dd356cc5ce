/**
 * Measures texts to a group of 10 to 500 members, in comparison with the bare library. The library's sender key keeps a
 * skipped key for each earlier text, up to 2,000, which makes later texts slower. So these skipped keys are created
 * before the measurement (`age`). The first text to a group of 500 new people is measured separately.
 */
import {
  amount,
  compared,
  type Measured,
  phoneNumber,
  phoneNumbers,
  ROUNDS,
  report,
  SMOKE,
  spread,
  startBare,
  startBench,
  startLoaded,
} from './measure.ts'

const SIZES = SMOKE ? [5, 10] : [10, 50, 100, 500]
const LARGEST = Math.max(...SIZES)
/** Number of texts before the measurement. The cost of a text through the gateway is constant after 200 texts. */
const WARM = { ours: amount(300, 5), theirs: amount(200, 3) }
/** Number of texts that the library's sender key has processed before the measurement. */
const AGED = amount(1_500, 10)
/**
 * Number of texts before the measurement of a group that has grown. The first of these texts distributes the key to the
 * new members.
 */
const WARM_AGAIN = { ours: amount(30, 2), theirs: amount(5, 1) }
/**
 * Number of texts in a round. A round takes about a second of processor time for the gateway and for the library,
 * because the system counts processor time in steps of 10 ms.
 */
const TEXTS = { ours: amount(120, 5), theirs: amount(12, 3) }
const FIRSTS = amount(3, 1)
const BARE = phoneNumber(500)

const bench = await startBench()
try {
  async function people(from: number): Promise<string[]> {
    const phones = phoneNumbers(from, LARGEST - 1)
    const create = (phone: string) => bench.sandbox.createContact(phone, { sink: true, receipts: 'none' })
    for (let start = 0; start < phones.length; start += 32) await Promise.all(phones.slice(start, start + 32).map(create))
    return phones
  }
  const [ours, bare] = await Promise.all([
    startLoaded(bench, { instances: 1, env: { SVC_SHARDS: '1' } }),
    startBare(bench, [BARE]),
  ])
  const urls = ours.instances.map(({ api_url }) => `${api_url}/send-text`)
  const OWNERS = { ours: phoneNumber(0), theirs: BARE }
  const groupOf = async (owner: string, others: readonly string[]) =>
    (await bench.sandbox.createGroup({ subject: 'bench', owner, participants: [owner, ...others] })).id

  async function through(group: string, count: number): Promise<Measured> {
    const body = JSON.stringify({ phone: group.replace('@g.us', '-group'), message: 'text {n}', link_preview: false })
    await ours.receiver.call('reset')
    const began = Date.now()
    let ended = began
    const { cpuMs, cores } = await ours.cost(async () => {
      const arrived = ours.receiver.call('until', { delivery: count })
      await ours.driver.call('drive', { urls, bodies: [body], count, connections: 16 })
      ended = (await arrived).delivery!.last
    })
    return { per_s: (count * 1_000) / (ended - began), cpu_ms: cpuMs / count, cores }
  }
  async function byLibrary(group: string, count: number): Promise<Measured> {
    let ms = 0
    const { cpuMs, cores } = await bare.cost(async () => {
      ms = await bare.call('send', { count, to: [group] })
    })
    return { per_s: (count * 1_000) / ms, cpu_ms: cpuMs / count, cores }
  }

  const members = await people(2_000)
  const mine = await groupOf(OWNERS.ours, members.slice(0, SIZES[0]! - 1))
  const theirs = await groupOf(OWNERS.theirs, members.slice(0, SIZES[0]! - 1))
  await Promise.all([byLibrary(theirs, WARM.theirs), through(mine, WARM.ours)])
  await bare.call('age', theirs, AGED - WARM.theirs)

  const first = { ours: [] as Measured[], theirs: [] as Measured[] }
  for (let count = 0; count < FIRSTS; count++) {
    const strangers = await people(3_000 + count * LARGEST)
    first.theirs.push(await byLibrary(await groupOf(OWNERS.theirs, strangers), 1))
    first.ours.push(await through(await groupOf(OWNERS.ours, strangers), 1))
  }

  const result: Record<string, unknown> = {}
  let size = SIZES[0]!
  for (const wanted of SIZES) {
    const phones = members.slice(size - 1, wanted - 1)
    size = wanted
    if (phones.length > 0) {
      for (const [group, by] of [
        [mine, OWNERS.ours],
        [theirs, OWNERS.theirs],
      ] as const)
        await bench.sandbox.post(`/groups/${group}/participants`, { by, action: 'add', phones })
      await bare.call('changed', theirs)
    }
    await byLibrary(theirs, WARM_AGAIN.theirs)
    await through(mine, WARM_AGAIN.ours)
    const measured = { ours: [] as Measured[], theirs: [] as Measured[] }
    for (let count = 0; count < ROUNDS; count++) {
      measured.theirs.push(await byLibrary(theirs, TEXTS.theirs))
      measured.ours.push(await through(mine, TEXTS.ours))
    }
    result[`of_${size}`] = compared(measured.ours, measured.theirs)
  }
  const taken = (all: readonly Measured[]) => ({
    ms: spread(
      all.map(({ per_s }) => 1_000 / per_s),
      0,
    ),
    cpu_ms: spread(
      all.map(({ cpu_ms }) => cpu_ms),
      0,
    ),
  })
  result[`first_text_to_${LARGEST}`] = {
    gateway: taken(first.ours),
    bare: taken(first.theirs),
    cpu_ratio: spread(first.ours.map(({ cpu_ms }, index) => cpu_ms / first.theirs[index]!.cpu_ms)),
  }
  report('texts to a group that grows, whole gateway against the bare library', result)
} finally {
  await bench.end()
}
