/** Counts instances by status, and waits until a number of them is connected. */
import type { Gateway } from '../../test/harness/gateway.ts'
import { must } from '../../test/harness/http.ts'
import { round, sleep } from '../measure.ts'

const PATIENCE = 180_000
/** Largest page of the list of instances. */
const PAGE = 500

interface Page {
  data: { status: string }[]
  total: number
}

const list = ({ baseUrl, account }: Gateway, query: string) =>
  must<Page & Record<string, unknown>>('GET', `${baseUrl}/account/instances?${query}`, undefined, account)

export const countConnected = async (gateway: Gateway): Promise<number> =>
  (await list(gateway, 'status=connected&page_size=1')).total

/** Returns the number of instances by status. */
export async function countStatuses(gateway: Gateway): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (let page = 1, total = Number.POSITIVE_INFINITY; (page - 1) * PAGE < total; page++) {
    const found = await list(gateway, `page=${page}&page_size=${PAGE}`)
    total = found.total
    for (const { status } of found.data) counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

/**
 * Waits until this number of instances is connected. Returns the seconds from `began`, a time of `performance.now()`,
 * until half of them and until all were connected. Throws after three minutes.
 */
export async function untilConnected(gateway: Gateway, wanted: number, began: number, everyMs = 50) {
  let half = 0
  for (;;) {
    const count = await countConnected(gateway)
    const passed = round((performance.now() - began) / 1_000, 1)
    if (count >= wanted / 2) half ||= passed
    if (count >= wanted) return { half_s: half, all_s: passed }
    if (passed * 1_000 > PATIENCE)
      throw new Error(
        `after ${passed} s only ${count} of ${wanted} are connected: ${JSON.stringify(await countStatuses(gateway))}`,
      )
    await sleep(everyMs)
  }
}
