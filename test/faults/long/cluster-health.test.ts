/**
 * The view of an operator of a cluster. The page *Health* of the dashboard lists the members with their instances,
 * and its button takes one out while callers go on through HAProxy with the configuration of `deploy/`.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { skip as noChromium, openWatched, picture, type Watched } from '../../browser/chromium.ts'
import { graveProblems } from '../../browser/grave-problems.ts'
import type { Instance } from '../../harness/gateway.ts'
import { type Haproxy, noHaproxy, startHaproxy } from '../../harness/haproxy.ts'
import { ask, must } from '../../harness/http.ts'
import { noPostgres } from '../../harness/postgres.ts'
import { parse } from '../../harness/prometheus.ts'
import { until } from '../../harness/until.ts'
import { type ClusterWorld, startClusterWorld } from '../cluster-world.ts'

const ANA = '5511988887777'
const INSTANCES = 6
const NAMES = ['a', 'b', 'c']

describe('the operator of a cluster', { skip: noPostgres || noChromium || noHaproxy, timeout: 300_000 }, () => {
  let world: ClusterWorld
  let proxy: Haproxy
  let browser: Browser
  let page: Page
  let watched: Watched
  const instances: Instance[] = []

  before(async () => {
    world = await startClusterWorld(NAMES, { settings: { SVC_DASHBOARD: 'on', SVC_SHUTDOWN_SECONDS: '20' } })
    proxy = await startHaproxy(new Map(world.members.map(({ name, url }) => [`svc-${name}`, new URL(url).host])))
    await world.sandbox.createContact(ANA)
    for (let index = 0; index < INSTANCES; index++)
      instances.push(await world.gateway.connected(world.sandbox, `551199999${7_100 + index}`, world.receiver))
    ;({ browser, page, watched } = await openWatched({ viewport: { width: 1280, height: 900 } }))
  })
  after(async () => {
    await browser?.close()
    await proxy?.stop()
    await world?.stop()
    assert.deepEqual(watched.complaints, [])
  })

  const services = () => page.getByRole('region', { name: 'Services on this store' })
  const row = (name: string) =>
    services()
      .getByRole('row')
      .filter({ has: page.getByText(name, { exact: true }) })
  const instancesOf = async (name: string) => Number(await row(name).getByRole('cell').nth(2).innerText())
  const sound = async (name: string) => {
    assert.deepEqual(await graveProblems(page, 'html'), [])
    await picture(page, `cluster-${name}`, { isWhole: true })
  }

  test('the page lists the members with their instances, and says which one answers', async () => {
    await page.goto(`${world.balancer.url}/dashboard`)
    await page.getByLabel('Admin key or API key').fill(world.gateway.admin.authorization.slice('Bearer '.length))
    await page.keyboard.press('Enter')
    await page.goto(`${world.balancer.url}/dashboard/#/health`)
    for (const name of NAMES) assert.match(await row(name).innerText(), /Active/)
    const counts = await until(
      () => Promise.all(NAMES.map(instancesOf)),
      (found) => found.reduce((sum, count) => sum + count, 0) === INSTANCES,
    )
    assert.deepEqual(Object.values(await world.homes()).toSorted(), counts.filter((count) => count > 0).toSorted())
    await services().getByText('answers this page').waitFor()
    await sound('members')
  })

  test('the button takes a member out: no caller notices, and the others have its instances', async (t) => {
    const failures: unknown[] = []
    let answers = 0
    let isOver = false
    const callers = instances.map(async ({ api_url: url }) => {
      while (!isOver) {
        const { status, body } = await ask('GET', `${proxy.url}${new URL(url).pathname}/status`)
        answers++
        if (status !== 200) failures.push([status, body])
        // The service refuses more than 60 requests per second for one instance.
        await pause(25)
      }
    })
    const homes = await world.homes()
    // A new instance is at the member that got the request, so a member may have no instance. The member with the most
    // instances hands over.
    const leaver = world.members.toSorted((one, other) => (homes[other.name] ?? 0) - (homes[one.name] ?? 0))[0]!
    const ended = leaver.running().ended
    await page.getByRole('button', { name: `Hand over from ${leaver.name}` }).click()
    await page.getByRole('dialog').getByText('to the other members one by one').waitFor()
    await sound('hand-over')
    await page.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click()
    await row(leaver.name).getByText('Leaving').waitFor()
    await sound('leaving')
    assert.equal((await ended).code, 0)
    isOver = true
    await Promise.all(callers)
    assert.deepEqual(failures, [])
    t.diagnostic(`${answers} answers through HAProxy while a member left`)
    await row(leaver.name).waitFor({ state: 'detached' })
    const others = world.members.filter((member) => member !== leaver)
    await world.connected(instances, 60_000, others)
    const counts = await Promise.all(others.map(({ name }) => instancesOf(name)))
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      INSTANCES,
    )
    await services().getByText('took').waitFor()
    const total = async (name: string) => {
      const texts = await Promise.all(others.map(({ url }) => must<string>('GET', `${url}/metrics`)))
      return texts.flatMap((text) => parse(text).get(name)?.samples ?? []).reduce((sum, { value }) => sum + value, 0)
    }
    assert.ok((await total('svc_homes_claimed_total')) >= homes[leaver.name]!)
    assert.equal(await total('svc_moves_total'), 0)
  })
})
