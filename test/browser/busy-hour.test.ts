/**
 * A dashboard page gets the events of a busy hour (without SVC_TEST_FULL=1, of six minutes) within seconds. The test
 * sends the event stream, and measures the heap of the page after a garbage collection.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Activity, InstanceRow, LiveEventName, LiveEvents, SessionInfo } from '../../src/domain/dashboard.ts'
import { eventText } from '../../src/http/event-stream.ts'
import { amount } from '../harness/amount.ts'
import { launch, skip } from './chromium.ts'

const FOLDER = new URL('../../dashboard/', import.meta.url)
const INSTANCES = 200
const SECONDS = amount(3_660, 360)
const ROWS_PER_SECOND = 30
const DELIVERIES_PER_SECOND = 10
const MOST_MB = 150
/**
 * Largest growth of the page's memory in MB. It is small, because the page shows as many rows at the end as at the
 * beginning.
 */
const MOST_KEPT_MB = amount(5, 1.5)

const session: SessionInfo = {
  signed_in: true,
  id: 'session',
  expires_at: '2099-01-01T00:00:00.000Z',
  idle_seconds: 1_800,
  workspace: { id: 'workspace', name: 'default' },
  key: null,
  address: '127.0.0.1',
  sandbox: false,
  version: '0.1.0',
  base_url: 'http://127.0.0.1',
  admin_key_from_environment: false,
}

const rowOf = (index: number, second: number): InstanceRow => ({
  id: `5f0b3c1e-7a0d-4c58-9a55-${String(index).padStart(12, '0')}`,
  name: `Instance ${index}`,
  status: second % 97 === index % 97 ? 'disconnected' : 'connected',
  status_reason: null,
  status_text: null,
  phone: `55119999${String(index).padStart(5, '0')}`,
  last_phone: `55119999${String(index).padStart(5, '0')}`,
  profile_name: null,
  platform: 'android',
  connected_at: '2026-01-01T00:00:00.000Z',
  disconnected_at: null,
  was_connected: true,
  banned_until: null,
  created_at: '2026-01-01T00:00:00.000Z',
  restriction: null,
  queue: (index + second) % 40,
  backlog: second % 7,
  refused_since: null,
  last_inbound_at: new Date(1_767_225_600_000 + second * 1_000).toISOString(),
  webhooks: 5,
})

const counts = {
  created: 0,
  starting: 0,
  qr: 0,
  connecting: 0,
  connected: INSTANCES,
  disconnected: 0,
  logged_out: 0,
  banned: 0,
  stopped: 0,
}

function weekOfActivity(): Activity {
  const now = Date.now()
  const at = (hoursAgo: number) => new Date(now - hoursAgo * 3_600_000).toISOString()
  return {
    hours: Array.from({ length: 168 }, (_, index) => ({
      at: at(168 - index),
      sent: 4_000,
      received: 3_000,
      delivered: 9_000,
      failed: index % 9,
    })),
  }
}

/** Sends an event to the page. If the page reads too slowly, waits until the page has read more. */
async function tell<Name extends LiveEventName>(
  response: ServerResponse,
  id: number,
  name: Name,
  data: LiveEvents[Name],
): Promise<void> {
  if (!response.write(eventText({ id: String(id), event: name, data: JSON.stringify(data) }))) await once(response, 'drain')
}

async function tellAnHour(response: ServerResponse): Promise<void> {
  let id = 0
  for (let second = 0; second < SECONDS; second++) {
    for (let at = 0; at < ROWS_PER_SECOND; at++)
      await tell(response, ++id, 'instance', rowOf((second * ROWS_PER_SECOND + at) % INSTANCES, second))
    for (let at = 0; at < DELIVERIES_PER_SECOND; at++)
      await tell(response, ++id, 'deliveries', { instance_id: rowOf(at, 0).id, delivered: 20, retry: 1, failed: 0, discarded: 0 })
    await tell(response, ++id, 'totals', {
      at: new Date().toISOString(),
      queue: second,
      backlog: 3,
      instances: counts,
      deliveries_per_second: 200,
    })
    // During this pause the page can draw.
    if (second % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('an hour of busy events leaves the page under 150 MB', { skip, timeout: 300_000 }, async (t) => {
  let opened = (_: ServerResponse) => {}
  const stream = new Promise<ServerResponse>((resolve) => {
    opened = resolve
  })
  const server = createServer(async (request, response) => {
    const path = new URL(request.url!, 'http://page').pathname.replace('/dashboard/', '')
    if (path === 'session') {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(session))
    } else if (path === 'api/activity') {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(weekOfActivity()))
    } else if (path === 'api/live') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      await tell(response, 0, 'reset', { total: INSTANCES })
      for (let index = 0; index < INSTANCES; index++) await tell(response, 0, 'instance', rowOf(index, 0))
      await tell(response, 0, 'ready', {})
      opened(response)
    } else {
      const type = path.endsWith('.js') ? 'text/javascript' : path.endsWith('.css') ? 'text/css' : 'text/html'
      response.writeHead(200, { 'Content-Type': type }).end(await readFile(new URL(path || 'index.html', FOLDER)))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const browser = await launch()
  try {
    const page = await browser.newPage()
    const devtools = await page.context().newCDPSession(page)
    const measure = async () => {
      // The memory is collected three times: the first collection only finalizes some objects, and the next one
      // frees them.
      for (let round = 0; round < 3; round++) await devtools.send('HeapProfiler.collectGarbage')
      const { usedSize, embedderHeapUsedSize = 0 } = (await devtools.send('Runtime.getHeapUsage')) as {
        usedSize: number
        embedderHeapUsedSize?: number
      }
      const { nodes } = await devtools.send('Memory.getDOMCounters')
      return { mb: (usedSize + embedderHeapUsedSize) / 1e6, nodes }
    }
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/dashboard/#/instances`)
    await page.getByText(`${INSTANCES} instances`).waitFor()
    const before = await measure()
    const response = await stream
    await tellAnHour(response)
    // Instances with problems are at the top of the list, so the row of the last event is visible.
    const last = { ...rowOf(0, SECONDS), name: 'The last one', status: 'banned' } as const
    await tell(response, Number.MAX_SAFE_INTEGER, 'instance', last)
    await page.getByText(last.name).first().waitFor()
    const after = await measure()
    t.diagnostic(
      `${(ROWS_PER_SECOND + DELIVERIES_PER_SECOND + 1) * SECONDS} events: ${before.mb.toFixed(1)} MB and ${before.nodes} nodes before, ` +
        `${after.mb.toFixed(1)} MB and ${after.nodes} nodes after`,
    )
    assert.ok(after.mb < MOST_MB, `${after.mb} MB`)
    assert.ok(after.mb - before.mb < MOST_KEPT_MB, `${after.mb - before.mb} MB more than before`)
    assert.ok(after.nodes < before.nodes * 3, `${after.nodes} nodes`)
  } finally {
    await browser.close()
    server.closeAllConnections()
    server.close()
  }
})
