/** The backends of `state:`, for the suites that run once per backend. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noPostgres, startCluster } from '../harness/postgres.ts'

export interface Backend {
  /** URL of one of its stores, which is made when it is first opened. The name consists of letters, digits and `_`. */
  url(name: string): string
  stop(): Promise<void>
}

interface Row {
  name: string
  /** The reason why it cannot be tested here. */
  skip: string | false
  start(): Promise<Backend>
}

export const BACKENDS: readonly Row[] = [
  {
    name: 'lmdb',
    skip: false,
    async start() {
      const dir = await mkdtemp(join(tmpdir(), 'svc-state-'))
      return { url: (name) => `lmdb:${join(dir, name)}`, stop: () => rm(dir, { recursive: true }) }
    },
  },
  { name: 'postgres', skip: noPostgres, start: () => startCluster() },
]
