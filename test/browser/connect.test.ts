/**
 * Pairs an instance on the page of a connect link, which the site of an operator shows in a frame.
 * `test/e2e/connect-links.test.ts` tests the routes of the page without a browser.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { getRequestListener } from '@hono/node-server'
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core'
import { passkeyResponse } from '../../src/features/passkey.ts'
import { openService } from '../contract/http/service.ts'
import { newPhone } from '../e2e/states-seen.ts'
import { must } from '../harness/http.ts'
import { connected, linkWithPasskeys, world } from '../harness/passkey-linking.ts'
import { foreign, launch, picture, skip, VIEWPORT, type Watched, watch } from './chromium.ts'

interface Told {
  origin: string
  data: { type: string; event: string; link_id: string }
}

/**
 * Starts the site of an operator. It has its own origin, shows a page in a frame, and records the messages of the page.
 */
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

  async function newLink(wish: object) {
    const phone = newPhone()
    await world.sandbox.createPhone(phone)
    const instance = await world.gateway.createInstance(world.receiver)
    const url = `${world.gateway.baseUrl}/account/connect-links`
    const body = { instance_id: instance.id, ...wish }
    const link = await must<{ id: string; url: string }>('POST', url, body, world.gateway.account)
    return { ...link, phone, instance }
  }

  const frameOf = async (): Promise<Frame> => (await (await page.waitForSelector('iframe')).contentFrame())!
  const told = async (): Promise<Told[]> => {
    await page.waitForFunction('window.told.length > 0')
    return (await page.evaluate('window.told')) as Told[]
  }
  /**
   * Checks three things: the page loaded nothing from other servers, no request contained the address of a link as its
   * referrer, and the browser reported no error.
   */
  function clean() {
    const own = [world.gateway.baseUrl, site.url, stranger.url].map((url) => `${url}/`)
    assert.deepEqual(
      foreign(watched, world.gateway.baseUrl).filter((url) => !own.some((each) => url.startsWith(each))),
      [],
    )
    const withSecret = watched.asked.filter(({ referer }) => referer?.includes('/connect/'))
    assert.deepEqual(withSecret, [])
    assert.deepEqual(watched.complaints, [])
  }

  test('no other site frames it; an allowed one does: QR code, scan, tick; the site is told, and the link is used up', async () => {
    const allowed_origins = ['https://elsewhere.example', site.url]
    const link = await newLink({ locale: 'pt', operator_name: 'Exemplo CRM', operator_color: '#1144aa', allowed_origins })
    assert.ok(!link.url.includes(link.instance.token) && !link.url.includes(link.instance.id))
    const refusal = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
    await page.goto(stranger.framing(link.url))
    await refusal
    assert.equal(await (await frameOf()).locator('#qr').count(), 0)
    assert.deepEqual(await page.evaluate('window.told'), [])
    watched.complaints.length = 0

    await page.goto(site.framing(link.url))
    const frame = await frameOf()
    await frame.getByText('Exemplo CRM').waitFor()
    await frame.getByText('Dispositivos conectados, depois').waitFor()
    const qr = frame.locator('#qr')
    await qr.waitFor({ state: 'visible' })
    await picture(page, 'connect-link')
    await world.sandbox.scan(link.phone, (await qr.getAttribute('src'))!)
    await frame.locator('#tick').waitFor({ state: 'visible' })
    assert.deepEqual(
      [await frame.locator('h1').textContent(), await frame.locator('#state').textContent()],
      ['Conectado', 'Pronto. Você pode fechar esta página.'],
    )
    assert.equal(await qr.isVisible(), false)
    assert.deepEqual(await told(), [
      {
        origin: new URL(world.gateway.baseUrl).origin,
        data: { type: 'svc.connect', event: 'paired', link_id: link.id },
      },
    ])
    await connected(link)
    // The browser reports an error if the page sends a message to the origin of a site that does not contain the frame.
    clean()

    // A person who opens the link again sees that it was used, and can do nothing else.
    await page.goto(site.framing(link.url))
    await (await frameOf()).getByText('Este link já foi usado.').waitFor()
    assert.equal((await told())[0]!.data.event, 'ended')
    assert.equal(await (await frameOf()).locator('#tick').count(), 0)
    assert.equal((await fetch(`${link.url}/qr-code`)).status, 401)
    assert.equal((await fetch(`${link.url}/restart`, { method: 'POST' })).status, 401)
  })
})

/** The assertion of the documented example. The test double that replaces the engine here does not check assertions. */
const { assertion: ASSERTION } = passkeyResponse.examples[0]!.input!
const ASKED = {
  ceremony: 'first',
  stage: 'awaiting_response',
  public_key: { challenge: 'QK_uMVx9bMbhwJtWmk3lo9UZf1u0AlttZVyJZtbrueE' },
} as const
const QR = {
  value: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
  expires_at: '2099-01-01T00:00:00.000Z',
  connected: false,
}

describe('the page of a connect link in each state, in Chromium', { skip }, () => {
  test('in Spanish: a failed pairing, a code for the number, a passkey by hand, its end, its renewal, and when it is left alone', async () => {
    // In this service, the test controls the clock and the states of the instance.
    const service = await openService()
    const server = createServer(getRequestListener(service.app.fetch))
    const site = await startSite()
    const browser = await launch()
    try {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { id } = await service.newInstance()
      const { value } = await service.newKey(['instances:write'])
      const as = { Authorization: `Bearer ${value}` }
      const links = (method: string, path: string, body?: unknown) =>
        service.ask(method, `/account/connect-links${path}`, body, as)
      const wish = { instance_id: id, expires_in: 300, allowed_origins: [site.url], locale: 'es' }
      const { body: link } = await links('POST', '', wish)
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(link.url).pathname}`
      const page = await browser.newPage()
      page.setDefaultTimeout(30_000)
      await page.clock.install()
      const frame = page.frameLocator('iframe')
      const [qr, tick] = [frame.locator('#qr'), frame.locator('#tick')]
      const press = (name: string) => frame.getByRole('button', { name, exact: true }).click()
      const ended = () => page.waitForFunction("window.told.some(({ data }) => data.event === 'ended')")
      const becomes = async (state: Parameters<typeof service.double.tell>[1]) => {
        service.double.tell(id, state)
        await page.clock.fastForward(2_000)
      }
      const answers: Record<string, unknown> = {
        'instance.qrCode': QR,
        'instance.phoneCode': { value: 'ABCD1234' },
        'instance.restart': { value: true, status: 'starting' },
        'instance.passkeyResponse': { value: true, stage: 'awaiting_confirmation' },
      }
      service.double.answer = (_, operation) => answers[operation]
      service.double.passkey = { ...service.double.passkey, ceremony: null, stage: 'none', public_key: null }

      await page.goto(site.framing(url))
      await qr.waitFor({ state: 'visible' })
      await becomes({ status: 'logged_out', reason: 'pairing_failed' })
      await frame.getByText('El dispositivo no se vinculó.').waitFor()
      assert.equal(await tick.isVisible(), false)
      await press('Empezar de nuevo')
      await becomes({ status: 'qr', reason: 'pairing_required' })
      await qr.waitFor({ state: 'visible' })

      await frame.getByText('Vincular con el número de teléfono').click()
      const number = frame.getByLabel('Número con código de país')
      await number.fill('0123456789')
      await press('Obtener un código')
      await frame.getByText('Escriba el número con el código de país').waitFor()
      await number.fill('5511999990000')
      await press('Obtener un código')
      await frame.getByText('ABCD-1234').waitFor()

      service.double.passkey = { ...service.double.passkey, ...ASKED }
      await becomes({ status: 'connecting', reason: 'passkey_required' })
      await frame.getByText('Sin la extensión, a mano').click()
      const helper = await frame.locator('a[download]').getAttribute('href')
      assert.equal((await fetch(new URL(helper!, url))).status, 200)
      await frame.getByLabel('Respuesta').fill('{}')
      await press('Enviar la respuesta')
      await frame.getByText('La respuesta no se puede usar.').waitFor()
      await frame.getByLabel('Respuesta').fill(JSON.stringify(ASSERTION))
      service.double.passkey = { ...service.double.passkey, stage: 'linking', public_key: null }
      await press('Enviar la respuesta')
      await frame.getByText('Vinculando el dispositivo…').waitFor()
      // Once the account is linked, the page of the link must show nothing about the passkey.
      await becomes({ status: 'connecting', reason: null, paired: true })
      await frame.locator('#passkey').waitFor({ state: 'hidden' })
      assert.deepEqual(await page.evaluate('window.told'), [])

      service.double.passkey = { ...service.double.passkey, ceremony: null, stage: 'none' }
      await becomes({ status: 'qr', reason: 'pairing_required' })
      await page.reload()
      await qr.waitFor({ state: 'visible' })
      service.time.now += 300_000
      await page.clock.fastForward(2_000)
      await frame.getByText('Este enlace venció').waitFor()
      await ended()
      await page.reload()
      await frame.getByText('Este enlace venció').waitFor()
      await ended()
      assert.equal(await qr.count(), 0)
      // If somebody opens the expired link itself, outside of a frame, a page says that it has expired.
      assert.equal((await page.goto(url))!.status(), 401)
      await page.getByRole('alert').getByText('Este enlace venció o fue anulado. Pida uno nuevo a quien se lo envió.').waitFor()
      assert.equal(await page.locator('img, form, button').count(), 0)

      await links('POST', `/${link.id}/renew`, {})
      await page.goto(site.framing(url))
      await page.reload()
      await qr.waitFor({ state: 'visible' })
      await page.clock.fastForward('16:00')
      await frame.getByText('Esta página está en pausa').waitFor()
      const asked = service.double.calls.length
      await page.clock.fastForward('10:00')
      assert.equal(service.double.calls.length, asked)
      await press('Continuar')
      await qr.waitFor({ state: 'visible' })
      await links('DELETE', `/${link.id}`)
      await page.clock.fastForward(2_000)
      await frame.getByText('Este enlace venció o fue anulado').waitFor()
      assert.equal(await qr.isVisible(), false)
      await ended()
    } finally {
      await browser.close()
      site.stop()
      server.close()
      server.closeAllConnections()
      await service.close()
    }
  })
})
