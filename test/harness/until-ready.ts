import { ask } from './http.ts'
import { until } from './until.ts'

/** Waits until `/health/ready` at this address is answered with 200. Nothing needs to listen there yet. */
export async function untilReady(url: string, ms?: number): Promise<void> {
  await until(
    () => ask('GET', `${url}/health/ready`).catch(() => ({ status: 0 })),
    ({ status }) => status === 200,
    ms,
  )
}
