/**
 * Health of the service for its dashboard. The numbers of its charts are measured every ten seconds and stored every
 * minute.
 */
import { performance } from 'node:perf_hooks'
import type { Account } from '../account/account.ts'
import type { Directory } from '../directory/directory.ts'
import { API_VERSION, VERSION } from '../domain/brand.ts'
import { type Clock, iso, SECOND } from '../domain/clock.ts'
import type { Health, HealthWindow } from '../domain/dashboard.ts'
import type { WorkspaceId } from '../domain/ids.ts'
import { STATUSES, type Status, wasConnected } from '../domain/instance.ts'
import type { Log } from '../domain/log.ts'
import type { Readings } from '../domain/readings.ts'
import { MAX_INSTANCE_SLOTS } from '../domain/workspace.ts'
import type { Check, Parts } from '../features/parts.ts'
import { orLate } from '../lib/deadline.ts'
import type { Ledger } from '../metrics/ledger.ts'
import { sum, type Tally } from '../metrics/tally.ts'
import type { StateStore } from '../storage/contract.ts'
import { removeThese } from '../storage/remove-all.ts'
import { memberMoves } from './member-moves.ts'
import { problemsOf } from './problems.ts'
import { createSeries, EVERY, RINGS } from './series.ts'
import { chartsOf, loadRings, oldPages, pagesSince, WRITE_EVERY } from './series-records.ts'
import { mb, threadsOf } from './threads.ts'

export interface HealthDeps {
  account: Pick<Account, 'workspace' | 'isOperators'>
  directory: Pick<Directory, 'list' | 'state'>
  readings: Readings
  readiness: Parts['readiness']
  tally: Tally
  ledger: Ledger
  engine: { generations(): (number | undefined)[]; refreshReports(): Promise<void> }
  disk: { freeBytes(): number }
  store: Pick<StateStore, 'range' | 'commit'>
  /** Name of this service; undefined outside of a cluster. */
  memberName: string | undefined
  hasNodes: boolean
  /** Id of this service in the list of services. */
  nodeId: string
  storeBytes(): Promise<number>
  mediaBytes(): number
  outboxMax: number
  clock: Clock
  steady: Clock
  log: Log
}

export interface HealthWatch {
  of(workspace: WorkspaceId, window: HealthWindow): Promise<Health>
  stop(): Promise<void>
}

const CHECK_DEADLINE = SECOND

export async function watchHealth(deps: HealthDeps): Promise<HealthWatch> {
  const { account, directory, readings, readiness, tally, ledger, engine, store, clock, steady, log } = deps
  const startedAt = clock.now()
  const of = deps.memberName === undefined ? undefined : chartsOf(deps.memberName)
  const series = createSeries(clock, steady, await loadRings(store, clock, log, of))
  if (of !== undefined) void removeOld()
  let written = { at: startedAt, steady: steady.now() }
  let lookedAt = performance.eventLoopUtilization()
  let busy = 0

  async function look() {
    await Promise.all([engine.refreshReports(), readings.look(SECOND)])
    const { numbers, waiting, backlog } = ledger.total()
    const { rss } = process.memoryUsage()
    series.add(sum([tally.numbers(), numbers]), { rssMb: mb(rss), queue: waiting, backlog })
    busy = performance.eventLoopUtilization(lookedAt).utilization
    lookedAt = performance.eventLoopUtilization()
    if (steady.now() - written.steady >= WRITE_EVERY) await write()
  }

  async function removeOld() {
    try {
      await removeThese(store, await oldPages(store, startedAt))
    } catch (err) {
      log.warn({ err }, 'old pages of charts could not be removed; the next start tries again')
    }
  }

  /** Stores the pages that have new samples. If a write fails, the next write stores its pages too. */
  async function write() {
    const now = { at: clock.now(), steady: steady.now() }
    // The clock may have been set back since the last write, so the time of that write is computed by the present
    // clock. Otherwise no page would seem to have new samples.
    const since = Math.min(written.at, now.at - (now.steady - written.steady))
    const ops = pagesSince(series.samples(), since, of)
    if (ops.length > 0) await store.commit({ ops })
    written = now
  }

  const timer = setInterval(() => {
    look().catch((error) => log.warn({ err: error }, 'the health of the service could not be checked'))
  }, EVERY)
  timer.unref()

  return {
    async of(workspace, window) {
      const [checks, storeBytes] = await Promise.all([
        checksOf(readiness),
        orLate(deps.storeBytes(), CHECK_DEADLINE, () => 0),
        readings.look(SECOND),
      ])
      const { rss, heapUsed } = process.memoryUsage()
      const { subscription } = account.workspace(workspace)
      const { ids } = directory.list(workspace, { page: 1, page_size: MAX_INSTANCE_SLOTS })
      const all = ids.map((id) => ({ id, state: directory.state(id), reading: readings.of(id) }))
      const instances = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>
      for (const { state } of all) instances[state.status]++
      const threads = threadsOf({ heapBytes: heapUsed, busy }, engine.generations(), readings.shards())
      const points = series.points(window)
      const slots = { used: all.length, total: subscription.instanceSlots }
      const now = clock.now()
      const problems = problemsOf({
        checks,
        diskProblem: readiness.problems?.disk?.(),
        clockProblem: readiness.warning?.(),
        bucketProblems: readiness.buckets?.() ?? [],
        threads,
        subscription,
        slots,
        instances: all.map(({ id, state, reading }) => ({
          id,
          status: state.status,
          isIdle: state.reason === 'paused' || !wasConnected(state),
          queue: reading?.waiting ?? null,
          backlog: reading?.backlog ?? null,
          isRestricted: state.restriction !== null,
          refusedSince: reading?.refusedSince ?? null,
        })),
        points: series.points('hour'),
        outboxMax: deps.outboxMax,
        now,
      })
      const isDown = (['database', 'session_store', 'engine'] as const).some((name) => checks[name] === 'failed')
      const mediaBytes = deps.mediaBytes()
      const total = (of: 'waiting' | 'backlog') => all.reduce((count, { reading }) => count + (reading?.[of] ?? 0), 0)
      const hasNodes = deps.hasNodes && account.isOperators(workspace)
      const moves = deps.memberName === undefined ? null : memberMoves(tally.numbers())
      return {
        version: VERSION,
        api_version: API_VERSION,
        node: process.versions.node,
        started_at: iso(startedAt),
        now: iso(now),
        status: isDown ? 'down' : problems.length > 0 ? 'degraded' : 'ok',
        problems,
        checks,
        threads,
        memory: { rss_mb: mb(rss), heap_mb: mb(heapUsed) },
        data: {
          bytes: storeBytes + mediaBytes,
          store_bytes: storeBytes,
          media_bytes: mediaBytes,
          free_bytes: deps.disk.freeBytes(),
        },
        instances,
        slots,
        answering: hasNodes ? { id: deps.nodeId, moves } : null,
        queue: total('waiting'),
        backlog: total('backlog'),
        series: { every_seconds: RINGS[window].stepMs / SECOND, from: points[0]?.at ?? null, points },
      }
    },
    async stop() {
      clearInterval(timer)
      await write().catch((err: unknown) => log.warn({ err }, 'the last numbers of the charts could not be stored'))
    },
  }
}

/** Runs the checks of readiness. A check that takes too long counts as failed. */
async function checksOf({ checks, media }: HealthDeps['readiness']): Promise<Health['checks']> {
  const passes = (name: Check) =>
    orLate(
      checks[name]().catch(() => false),
      CHECK_DEADLINE,
      () => false,
    )
  const names = Object.keys(checks) as Check[]
  const results = await Promise.all(names.map(async (name) => [name, (await passes(name)) ? 'ok' : 'failed'] as const))
  return { ...Object.fromEntries(results), media } as Health['checks']
}
