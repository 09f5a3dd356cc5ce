/**
 * Tests the page of a connect link in a real browser: it can be framed by the operator's site and by no other site, it
 * exists in three languages, and it ends when the link has been used or has expired.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { getRequestListener } from '@hono/node-server'
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core'
import { openService } from '../contract/http/service.ts'
import { newPhone } from '../e2e/states-seen.ts'
import { must } from '../harness/http.ts'
import { connected, linkWithPasskeys, toSign, world } from '../harness/passkey-linking.ts'
import { foreign, launch, picture, skip, VIEWPORT, type Watched, watch } from './chromium.ts'

interface Told {
  origin: string
  data: { type: string; event: string; link_id: string }
}

/** Starts a site that frames a page and keeps the messages that it receives. Each site has its own origin. */
async function startSite() {
  const server = createServer((request, response) => {
    const framed = new URL(request.url ?? '/', 'http://site').searchParams.get('page') ?? ''
    response.writeHead(200, { 'Content-Type': 'text/html' })
    response.end(`<!doctype html><title>Site</title><link rel="icon" href="data:,"><script>
      window.told = []
      addEventListener('message', ({ origin, data }) => window.told.push({ origin, data }))
    </script><iframe src="${framed.replaceAll('"', '')}" width="760" height="600"></iframe>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, framing: (page: string) => `${url}/?page=${encodeURIComponent(page)}`, stop: () => server.close() }
}

describe('a connect link in Chromium', { skip }, () => {
  linkWithPasskeys()
  let browser: Browser
  let site: Awaited<ReturnType<typeof startSite>>
  let stranger: typeof site
  before(async () => {
    browser = await launch()
    site = await startSite()
    stranger = await startSite()
  })
  after(async () => {
    await browser?.close()
    site?.stop()
    stranger?.stop()
  })

  let context: BrowserContext
  let page: Page
  let watched: Watched
  beforeEach(async () => {
    context = await browser.newContext({ viewport: VIEWPORT })
    page = await context.newPage()
    page.setDefaultTimeout(30_000)
    watched = watch(page)
  })
  afterEach(() => context.close())

  /** Creates a connect link for an instance that was never paired, and the phone that will pair it. */
  async function newLink(wish: object = {}, passkey = false) {
    const phone = newPhone()
    await world.sandbox.createPhone(phone)
    if (passkey) await world.sandbox.setPasskey(phone)
    const instance = await world.gateway.createInstance(world.receiver)
    const account = (method: string, path = '', body?: unknown) =>
      must<{ id: string; url: string; status: string }>(
        method,
        `${world.gateway.baseUrl}/account/connect-links${path}`,
        body,
        world.gateway.account,
      )
    const link = await account('POST', '', { instance_id: instance.id, allowed_origins: [site.url], ...wish })
    return { ...link, phone, instance, revoke: () => account('DELETE', `/${link.id}`) }
  }

  const frameOf = async (): Promise<Frame> => (await (await page.waitForSelector('iframe')).contentFrame())!
  const told = async (): Promise<Told[]> => {
    await page.waitForFunction('window.told.length > 0')
    return (await page.evaluate('window.told')) as Told[]
  }
  /**
   * Checks that the page loaded nothing from another server and passed on no address, and that only answers with these
   * statuses were errors.
   */
  function clean(statuses: readonly number[]) {
    const own = [world.gateway.baseUrl, site.url].map((url) => `${url}/`)
    assert.deepEqual(
      foreign(watched, world.gateway.baseUrl).filter((url) => !own.some((each) => url.startsWith(each))),
      [],
    )
    const withSecret = watched.asked.filter(({ referer }) => referer?.includes('/connect/'))
    assert.deepEqual(withSecret, [])
    const isExpected = (text: string) => statuses.some((status) => text.includes(`status of ${status}`))
    assert.deepEqual(
      watched.complaints.filter((text) => !isExpected(text)),
      [],
    )
  }

  test('an allowed site frames it: QR code, scan, tick; the site is told, and the link is used up', async () => {
    const allowed_origins = ['https://elsewhere.example', site.url]
    const link = await newLink({ locale: 'pt', operator_name: 'Exemplo CRM', operator_color: '#1144aa', allowed_origins })
    assert.ok(!link.url.includes(link.instance.token) && !link.url.includes(link.instance.id))
    await page.goto(site.framing(link.url))
    const frame = await frameOf()
    await frame.getByText('Exemplo CRM').waitFor()
    await frame.getByText('Dispositivos conectados, depois').waitFor()
    const qr = frame.locator('#qr')
    await qr.waitFor({ state: 'visible' })
    await picture(page, 'connect-link')
    await world.sandbox.scan(link.phone, (await qr.getAttribute('src'))!)
    await frame.locator('#tick').waitFor({ state: 'visible' })
    assert.equal(await frame.locator('#state').textContent(), 'Conectado')
    assert.equal(await qr.isVisible(), false)
    assert.deepEqual(await told(), [
      {
        origin: new URL(world.gateway.baseUrl).origin,
        data: { type: 'svc.connect', event: 'paired', link_id: link.id },
      },
    ])
    await connected(link)
    // Chromium reports an error if a message is sent to the origin of a site that does not frame the page.
    clean([])

    // A person who opens the link again learns that it was used, and can do nothing.
    await page.goto(site.framing(link.url))
    await (await frameOf()).getByText('Este link já foi usado.').waitFor()
    assert.equal((await told())[0]!.data.event, 'ended')
    assert.equal(await (await frameOf()).locator('#tick').count(), 0)
    assert.equal((await fetch(`${link.url}/qr-code`)).status, 401)
    assert.equal((await fetch(`${link.url}/restart`, { method: 'POST' })).status, 401)
  })

  test('a pairing that fails is no tick: the page says so, and its button starts over', async () => {
    const link = await newLink()
    await page.goto(site.framing(link.url))
    const frame = await frameOf()
    const qr = frame.locator('#qr')
    await qr.waitFor({ state: 'visible' })
    await world.sandbox.fault({ on: 'login', match: { phone: link.phone }, do: { failure: 401 }, times: 1 })
    await world.sandbox.scan(link.phone, (await qr.getAttribute('src'))!)
    await frame.getByText('The device was not linked.').waitFor()
    assert.equal(await frame.locator('#tick').isVisible(), false)
    assert.deepEqual(await page.evaluate('window.told'), [])
    await frame.getByRole('button', { name: 'Start over' }).click()
    await qr.waitFor({ state: 'visible' })
    await world.sandbox.scan(link.phone, (await qr.getAttribute('src'))!)
    await frame.locator('#tick').waitFor({ state: 'visible' })
    await connected(link)
  })

  test('no other site frames it, and none where no origin is allowed', async () => {
    for (const url of [(await newLink()).url, (await newLink({ allowed_origins: [] })).url]) {
      const refusal = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
      await page.goto(stranger.framing(url))
      await refusal
      assert.equal(await (await frameOf()).locator('#qr').count(), 0)
      assert.deepEqual(await page.evaluate('window.told'), [])
    }
  })

  test('without a frame, by a code for the number, in Spanish', async () => {
    const link = await newLink({ locale: 'es', allowed_origins: [] })
    await page.goto(link.url)
    await page.locator('#qr').waitFor({ state: 'visible' })
    await page.getByText('Vincular con el número de teléfono').click()
    const number = page.getByLabel('Número con código de país')
    await number.fill('0123456789')
    await page.getByRole('button', { name: 'Obtener un código' }).click()
    await page.getByText('Escriba el número con el código de país').waitFor()
    await number.fill(link.phone)
    await page.getByRole('button', { name: 'Obtener un código' }).click()
    const code = page.locator('#code')
    await code.waitFor({ state: 'visible' })
    await world.sandbox.enterCode(link.phone, (await code.textContent())!)
    await page.locator('#tick').waitFor({ state: 'visible' })
    await connected(link)
    clean([400])
  })

  test('with a passkey, by hand, in Portuguese', async () => {
    const link = await newLink({ locale: 'pt' }, true)
    await page.goto(site.framing(link.url))
    const frame = await frameOf()
    const qr = frame.locator('#qr')
    await qr.waitFor({ state: 'visible' })
    await world.sandbox.scan(link.phone, (await qr.getAttribute('src'))!)
    await frame.getByText('Sem a extensão, manualmente').click()
    assert.equal((await fetch(new URL((await frame.locator('a[download]').getAttribute('href'))!, link.url))).status, 200)
    const answer = JSON.stringify(await world.sandbox.signPasskey(link.phone, await toSign(link)))
    await frame.getByLabel('Resposta').fill('{}')
    await frame.getByRole('button', { name: 'Enviar a resposta' }).click()
    await frame.getByText('A resposta não pode ser usada.').waitFor()
    await frame.getByLabel('Resposta').fill(answer)
    await frame.getByRole('button', { name: 'Enviar a resposta' }).click()
    await frame.locator('#tick').waitFor({ state: 'visible' })
    assert.equal((await told())[0]!.data.event, 'paired')
    await connected(link)
    clean([400])
  })

  test('a link that is revoked while its page is open ends, and the site is told', async () => {
    const link = await newLink()
    await page.goto(site.framing(link.url))
    const frame = await frameOf()
    await frame.locator('#qr').waitFor({ state: 'visible' })
    await link.revoke()
    await frame.getByText('This link has expired or was revoked.').waitFor()
    assert.equal(await frame.locator('#qr').isVisible(), false)
    assert.deepEqual((await told())[0]!.data, { type: 'svc.connect', event: 'ended', link_id: link.id })
    clean([401])
  })
})

describe('a connect link whose time is over, in Chromium', { skip }, () => {
  test('its open page ends, and so does the next one; renewed, it opens again; left alone, it stops asking', async () => {
    // This service has a clock that the test sets.
    const service = await openService()
    const server = createServer(getRequestListener(service.app.fetch))
    const site = await startSite()
    const browser = await launch()
    try {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      service.double.answer = () => ({
        value: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
        expires_at: '2099-01-01T00:00:00.000Z',
        connected: false,
      })
      const { id } = await service.newInstance()
      const { value } = await service.newKey(['instances:write'])
      const as = { Authorization: `Bearer ${value}` }
      const wish = { instance_id: id, expires_in: 300, allowed_origins: [site.url], locale: 'es' }
      const { body: link } = await service.ask('POST', '/account/connect-links', wish, as)
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(link.url).pathname}`
      const page = await browser.newPage()
      await page.goto(site.framing(url))
      const frame = page.frameLocator('iframe')
      await frame.locator('#qr').waitFor({ state: 'visible' })
      service.time.now += 300_000
      await frame.getByText('Este enlace venció').waitFor()
      await page.waitForFunction("window.told.some(({ data }) => data.event === 'ended')")
      await page.reload()
      await frame.getByText('Este enlace venció').waitFor()
      await page.waitForFunction("window.told.some(({ data }) => data.event === 'ended')")
      assert.equal(await frame.locator('#qr').count(), 0)
      await service.ask('POST', `/account/connect-links/${link.id}/renew`, {}, as)
      await page.clock.install()
      await page.reload()
      await frame.locator('#qr').waitFor({ state: 'visible' })
      await page.clock.fastForward('16:00')
      await frame.getByText('Esta página está en pausa').waitFor()
      const asked = service.double.calls.length
      await page.clock.fastForward('10:00')
      assert.equal(service.double.calls.length, asked)
      await frame.getByRole('button', { name: 'Continuar' }).click()
      await frame.locator('#qr').waitFor({ state: 'visible' })
    } finally {
      await browser.close()
      site.stop()
      server.close()
      server.closeAllConnections()
      await service.close()
    }
  })
})
