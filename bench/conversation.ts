/**
 * Measures conversations on several instances at once, in comparison with the bare library. The simulated people
 * decrypt each message in the single thread of the simulated network, so this thread may limit the rate of the service
 * and of the library.
 */
import { amount, compared, type Measured, phoneNumbers, ROUNDS, report, startBare, startBench, startLoaded } from './measure.ts'

const ACCOUNTS = amount(10, 2)
const COUNT = amount(200, 10)
/** Number of conversations before the measurement, because V8 compiles during thousands of texts (README). */
const WARM = amount(2_000, 10)
const PEOPLE = phoneNumbers(2_000, ACCOUNTS)

const bench = await startBench()
try {
  await bench.sandbox.settings({ receipt_delay_ms: 0 })
  for (const phone of PEOPLE) await bench.sandbox.createContact(phone, { receipts: 'read' })
  const [ours, bare] = await Promise.all([
    startLoaded(bench, { instances: ACCOUNTS, env: { SVC_SHARDS: '1' } }),
    startBare(bench, phoneNumbers(600, ACCOUNTS)),
  ])
  const bodies = PEOPLE.map((phone) => JSON.stringify({ phone, message: 'echo text {n}', link_preview: false }))
  const urls = ours.instances.map(({ api_url }) => `${api_url}/send-text`)

  async function through(count: number): Promise<Measured> {
    await ours.receiver.call('reset')
    const began = Date.now()
    let ended = began
    const { cpuMs, cores } = await ours.cost(async () => {
      const all = { delivery: count, received: count, 'message_status delivered': count, 'message_status read': count }
      const arrived = ours.receiver.call('until', all)
      await ours.driver.call('drive', { urls, bodies, count, connections: ACCOUNTS })
      ended = (await arrived).received!.last
    })
    return { per_s: (count * 1_000) / (ended - began), cpu_ms: cpuMs / count, cores }
  }
  async function byLibrary(count: number): Promise<Measured> {
    await bare.call('reset')
    const began = Date.now()
    const { cpuMs, cores } = await bare.cost(async () => {
      const arrived = bare.call('until', count)
      await bare.call('send', { count, to: PEOPLE.map((phone) => `${phone}@s.whatsapp.net`), prefix: 'echo text ' })
      await arrived
    })
    return { per_s: (count * 1_000) / (Date.now() - began), cpu_ms: cpuMs / count, cores }
  }
  await byLibrary(WARM)
  await through(WARM)
  const measured = { ours: [] as Measured[], theirs: [] as Measured[] }
  for (let count = 0; count < ROUNDS; count++) {
    measured.theirs.push(await byLibrary(COUNT))
    measured.ours.push(await through(COUNT))
  }
  report('conversations (a text, two receipts, an answer), whole gateway against the bare library', {
    accounts: ACCOUNTS,
    conversations: COUNT,
    ...compared(measured.ours, measured.theirs),
  })
} finally {
  await bench.end()
}
