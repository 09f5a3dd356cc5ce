import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startWorld, type World } from '../harness/world.ts'
import { foreign, launch, picture, skip, type Watched, watch } from './chromium.ts'
import { graveProblems, PHONE_RULES } from './grave-problems.ts'

const ANA = '5511988880001'
const EVE = '5511988880002'
const MARKUP = '<img src=x onerror="hacked=1"><script>hacked=1</script>'

describe('pages in Chromium', { skip }, () => {
  let world: World
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let watched: Watched
  before(async () => {
    world = await startWorld({ own: true })
    await world.sandbox.createContact(ANA, { name: 'Ana' })
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await world?.stop()
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1100, height: 850 } })
    page = await context.newPage()
    page.setDefaultTimeout(30_000)
    watched = watch(page)
  })
  /**
   * Checks that no request went to another server, that none had a referrer (the address of a page, which may contain a
   * token), and that none was refused or failed.
   */
  afterEach(async () => {
    assert.deepEqual(foreign(watched, world.gateway.baseUrl), [])
    assert.deepEqual(
      watched.asked.filter(({ referer }) => referer !== undefined),
      [],
    )
    assert.deepEqual(watched.complaints, [])
    await context.close()
  })

  /**
   * Checks the API reference with the accessibility checker axe, in light colours in a window and in dark colours on a
   * phone. It must find only minor problems, and the page must not be wider than the screen. On the phone, only rules
   * are checked that depend on colours and sizes.
   */
  async function soundReference(state: string, within: string) {
    const found: string[] = []
    for (const [width, colorScheme, rules] of [
      [1280, 'light', undefined],
      [380, 'dark', PHONE_RULES],
    ] as const) {
      await page.setViewportSize({ width, height: 850 })
      // While a transition runs, text has a wrong colour for a moment. So transitions are switched off.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.locator(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor({ state: 'attached' })
      const name = `${state} ${width} ${colorScheme}`
      found.push(...(await graveProblems(page, within, rules)).map((problem) => `${name}: ${problem}`))
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
      if (wide > width) found.push(`${name} is ${wide} px wide`)
      await picture(page, `docs-${state}-${width}-${colorScheme}`)
    }
    await page.setViewportSize({ width: 1100, height: 850 })
    await page.emulateMedia({ colorScheme: null, reducedMotion: null })
    assert.deepEqual(found, [])
  }

  /** Opens an operation of the API reference, in its group. */
  async function openOperation(tag: string, method: string, pathEnd: string) {
    const group = page.locator(`h3[data-tag="${tag}"]`)
    if ((await group.getAttribute('data-is-open')) === 'false') await group.click()
    const path = page.locator(`[data-path$="${pathEnd}"]`)
    const operation = page.locator(`.opblock-${method}`, { has: path })
    await operation.locator('[data-path]').click()
    await operation.locator('.responses-wrapper').waitFor()
    return operation
  }

  test('the first page says what this is, and leads to the documentation and to the pairing page', async () => {
    const instance = await world.gateway.createInstance(null)
    await page.goto(`${world.gateway.baseUrl}/`)
    await page.getByText('gateway to WhatsApp accounts').waitFor()
    await picture(page, 'home')
    assert.equal(await page.getByRole('link', { name: 'API reference' }).getAttribute('href'), './docs')
    assert.equal(await page.getByRole('link', { name: 'Open the dashboard' }).getAttribute('href'), './dashboard')
    assert.equal(await page.getByRole('listitem').count(), 3)
    await page.getByText('Have the address of an instance?').click()
    await page.getByRole('textbox').fill(instance.api_url)
    await page.getByRole('button', { name: 'Pair' }).click()
    await page.waitForURL(`${instance.api_url}/qr-code/page`)
  })

  test('a pairing page that no longer works says so to a person, and still 401 to a program', async () => {
    const instance = await world.gateway.createInstance(null)
    const dead = `${instance.api_url.replace(instance.token, '0'.repeat(instance.token.length))}/qr-code/page`
    const answer = await page.goto(dead)
    assert.equal(answer!.status(), 401)
    await page.getByText('This link has expired or was revoked. Ask the person who sent it for a new one.').waitFor()
    assert.match((await fetch(dead)).headers.get('content-type')!, /json/)
    // Chromium logs the error status of this page as a failed load. This is expected, so it is removed.
    watched.complaints.length = 0
  })

  test('an unknown address is a page for a person, and JSON for a program', async () => {
    const unknown = `${world.gateway.baseUrl}/dashboards/<b>old</b>`
    const answer = await page.goto(unknown)
    assert.equal(answer!.status(), 404)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    assert.equal(await page.getByText('old').count(), 0)
    assert.match((await fetch(unknown)).headers.get('content-type')!, /json/)
    await page.getByRole('link', { name: 'Open the dashboard' }).click()
    await page.waitForURL(({ pathname }) => pathname === '/dashboard/')
    watched.complaints.length = 0
  })

  test('the pairing page shows a QR, which a phone scans, and ends in a green tick', async () => {
    const phone = '5511999990101'
    await world.sandbox.createPhone(phone, { name: 'Ana' })
    const instance = await world.gateway.createInstance(null, { name: 'Bakery <orders>' })
    await page.goto(`${instance.api_url}/qr-code/page`)
    await page.getByText('Bakery <orders>', { exact: true }).waitFor()
    const qr = page.locator('#qr')
    await qr.waitFor({ state: 'visible' })
    await page.getByText(/^New code in \d+ s$/).waitFor()
    await picture(page, 'pairing-qr')
    await world.sandbox.scan(phone, (await qr.getAttribute('src'))!)
    await page.locator('#tick').waitFor({ state: 'visible' })
    await picture(page, 'pairing-tick')
    assert.equal(await page.getByText('Connected').count(), 1)
    assert.equal(await page.locator('h1').textContent(), `Connected: +${phone}`)
    assert.equal(await qr.isVisible(), false)
    assert.equal((await world.gateway.status(instance)).connected, true)
    // The clock, which ticks once a second, must not clear this sentence.
    await page.getByText('Done. You can close this page.').waitFor()
    await setTimeout(1_200)
    assert.equal(await page.locator('#state').textContent(), 'Done. You can close this page.')
    await world.gateway.must(instance, 'POST', '/disconnect')
    await page.reload()
    await qr.waitFor({ state: 'visible' })
    await page.getByText(`Last linked to +${phone}`, { exact: true }).waitFor()
  })

  test('a QR that has expired is renewed without a reload', async () => {
    const instance = await world.gateway.createInstance(null)
    await page.clock.install()
    await page.goto(`${instance.api_url}/qr-code/page`)
    await page.clock.runFor(3_000)
    await page.locator('#qr').waitFor({ state: 'visible' })
    const fetched = () => watched.asked.filter(({ url }) => url === `${instance.api_url}/qr-code`).length
    const before = fetched()
    const again = page.waitForRequest(`${instance.api_url}/qr-code`)
    // By this time, the first pairing code has expired.
    await page.clock.fastForward(90_000)
    await page.clock.runFor(5_000)
    await again
    assert.ok(fetched() > before)
  })

  test('the pairing page offers a code for a number', async () => {
    const phone = '5511999990102'
    await world.sandbox.createPhone(phone, { name: 'Ben' })
    const instance = await world.gateway.createInstance(null)
    await page.goto(`${instance.api_url}/qr-code/page`)
    await page.locator('#qr').waitFor({ state: 'visible' })
    await page.getByRole('link', { name: 'Link with the phone number' }).click()
    assert.equal(await page.locator('#qr').isVisible(), false)
    await page.getByRole('textbox').fill('12')
    await page.getByRole('button', { name: 'Get a code' }).click()
    await page.getByText('Write the number with its country code').waitFor()
    await page.getByRole('textbox').fill('+55 11 99999-0102')
    // The page must show this text until the code arrives, and not only until its next request for the status.
    await page.route('**/phone-code/**', async (route) => {
      await setTimeout(1_500)
      await page.locator('#clock').getByText('Getting a code…').waitFor()
      await route.continue()
    })
    await page.getByRole('button', { name: 'Get a code' }).click()
    await page.locator('#code').waitFor({ state: 'visible' })
    await page.getByText(/^Valid for [23]:\d\d$/).waitFor()
    await picture(page, 'pairing-code')
    const code = (await page.locator('#code').textContent())!
    assert.match(code, /^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    await world.sandbox.enterCode(phone, code.replace('-', ''))
    await page.locator('#tick').waitFor({ state: 'visible' })
  })

  test('the reference shows every area, and sends a first text', async () => {
    const me = '5511999990103'
    const instance = await world.gateway.connected(world.sandbox, me, null)
    await world.sandbox.createContact(EVE, { name: MARKUP })
    await world.sandbox.send(EVE, me, { text: MARKUP })
    // The test opens the API reference as the dashboard does, with the instance in the session storage. So every
    // operation has its id and token.
    await page.goto(`${world.gateway.baseUrl}/`)
    const known = JSON.stringify({ instance_id: instance.id, token: instance.token })
    await page.evaluate(`sessionStorage.setItem('svc_docs', ${JSON.stringify(known)})`)
    await page.goto(`${world.gateway.baseUrl}/docs`)
    // Swagger UI reads the whole description first, which takes long on a busy machine.
    await page.locator('[data-tag="groups"]').waitFor({ timeout: 120_000 })
    for (const area of ['instance', 'send-media', 'account']) await page.locator(`[data-tag="${area}"]`).waitFor()
    // A search opens the groups in which it has found operations.
    await page.locator('.operation-filter-input').fill('send-poll-vote')
    await page.locator('[data-path$="/send-poll-vote"]').waitFor()
    await page.locator('[data-path^="/"]').nth(1).waitFor({ state: 'detached' })
    await page.locator('.operation-filter-input').fill('')
    await page.locator('[data-tag="groups"]').waitFor()
    await picture(page, 'docs')
    await soundReference('folded', 'body')
    // When the dialog with the keys opens, its first field must have the focus.
    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.locator('.modal-ux-content input').first().and(page.locator(':focus')).waitFor()
    await picture(page, 'docs-keys')
    await page.emulateMedia({ colorScheme: 'dark' })
    const { y, height } = (await page.locator('.modal-ux').boundingBox())!
    assert.ok(y >= 0 && y + height <= 850, `the dialog is from ${y} to ${y + height}`)
    await picture(page, 'docs-keys-dark')
    await page.emulateMedia({ colorScheme: null })
    await page.getByRole('button', { name: 'Close' }).last().click()
    const operation = await openOperation('send', 'post', '/send-text')
    // The examples must not contain a phone number, because a press of the button would send to it.
    assert.doesNotMatch(await operation.locator('.body-param__text').inputValue(), /\d{10}/)
    // The other examples of requests must not contain a phone number either.
    const shown = await page.evaluate<string>('JSON.stringify(ui.specSelectors.specJson().get("paths").toJS())')
    const asked = JSON.stringify(JSON.parse(shown), (name, value) => (/^(responses|x-.*)$/.test(name) ? undefined : value))
    assert.deepEqual(asked.match(/"[1-9]\d{9,}(-group|@[a-z.]+)?"/g), null)
    await operation.locator('tr[data-param-name="Prefer"] input').fill('wait=30')
    await operation
      .locator('.body-param__text')
      .fill(JSON.stringify({ phone: '+55 (11) 98888-0001', message: `Hello from the reference ${MARKUP}` }))
    await operation.getByRole('button', { name: 'Execute' }).click()
    await operation.locator('.live-responses-table .response-col_status').filter({ hasText: '200' }).waitFor()
    await operation.locator('.live-responses-table').scrollIntoViewIfNeeded()
    await picture(page, 'docs-sent')
    assert.match((await operation.locator('.live-responses-table').textContent()) ?? '', /"status": "sent"/)
    assert.deepEqual(
      (await world.sandbox.inbox(ANA)).map(({ text }) => text),
      [`Hello from the reference ${MARKUP}`],
    )
    // People choose their names, and answers contain these names. So the page must show them only as text.
    const chats = await openOperation('chats', 'get', '/{token}/chats')
    await chats.getByRole('button', { name: 'Execute' }).click()
    await chats.locator('.live-responses-table').getByText('onerror=').first().waitFor()
    assert.equal(await page.evaluate('"hacked" in window'), false)
    assert.equal(await page.locator('img[src=x]').count(), 0)
    // These operations have a file, a choice, and query parameters. Operations with a body and its examples, and with
    // an answer, are already open.
    await openOperation('admin', 'post', '/instances/import')
    await openOperation('privacy', 'get', '/disallowed-contacts')
    await openOperation('send-actions', 'delete', '/{token}/messages')
    await page.getByRole('textbox', { name: 'Body of the request' }).waitFor()
    // Only the open operations are checked. The many closed ones in the open groups look like those that were checked
    // before.
    await soundReference('open', '.opblock.is-open')
  })
})
