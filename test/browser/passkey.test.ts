/**
 * Links an account with a passkey in a real browser, with and without the extension in `extension/`. A virtual
 * authenticator holds the passkey, and a page of the test replaces web.whatsapp.com.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { repetition } from '../harness/amount.ts'
import { ROOT } from '../harness/checkout.ts'
import {
  asked,
  connected,
  type Linking,
  linkWithPasskeys,
  stateOf,
  toSign,
  waiting,
  withoutProof,
  world,
} from '../harness/passkey-linking.ts'
import { type Relay, startRelay } from '../harness/relay.ts'
import { sampleWith } from '../harness/samples.ts'
import { startWhatsappPage } from '../harness/whatsapp-page.ts'
import { foreign, launch, launchWithExtension, picture, skip, VIEWPORT, watch } from './chromium.ts'
import { openTab, tabOf } from './passkey-tab.ts'

const EXTENSION = fileURLToPath(new URL('extension', ROOT))
const WHATSAPP = 'https://web.whatsapp.com/'
const QUESTION = 'Only go on if you have just scanned its code with your phone.'
const AWAY = 'The gateway does not answer at present.'
const EXPIRED = 'This link was used or has expired.'

describe('linking with a passkey in Chromium', { skip }, () => {
  linkWithPasskeys()
  let site: Awaited<ReturnType<typeof startWhatsappPage>>
  /** Relay through which the extension reaches the gateway. A test can close it. */
  let relay: Relay
  before(async () => {
    site = await startWhatsappPage()
    relay = await startRelay(world.gateway.baseUrl)
  })
  after(async () => {
    await relay?.stop()
    await site?.stop()
  })

  const throughRelay = (url: string) => url.replace(world.gateway.baseUrl, relay.url)
  function linkThroughRelay(openUrl: string): string {
    const [page, fragment = ''] = openUrl.split('#svc-passkey=')
    const { u, ...rest } = JSON.parse(Buffer.from(fragment, 'base64url').toString())
    const opened = JSON.stringify({ ...rest, u: throughRelay(u) })
    return `${page}#svc-passkey=${Buffer.from(opened).toString('base64url')}`
  }

  const passkeyOf = ({ phone }: Linking) => world.sandbox.passkey(phone)
  const pageOf = ({ instance }: Linking) => `${instance.api_url}/qr-code/page`
  const ticketFor = async ({ instance }: Linking) =>
    (await world.gateway.must(instance, 'POST', '/passkey/ticket')) as unknown as { open_url: string; ticket: string }

  async function scanned(context: BrowserContext, base = world.gateway.baseUrl): Promise<{ linking: Linking; page: Page }> {
    const linking = await waiting()
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    await page.goto(pageOf(linking).replace(world.gateway.baseUrl, base))
    const qr = page.locator('#qr')
    await qr.waitFor({ state: 'visible' })
    await world.sandbox.scan(linking.phone, (await qr.getAttribute('src'))!)
    await page.getByRole('button', { name: 'Open WhatsApp Web' }).waitFor()
    return { linking, page }
  }

  async function dashboardOf(context: BrowserContext, { instance }: Linking, base = world.gateway.baseUrl): Promise<Page> {
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    await page.goto(`${base}/dashboard/#/instances/${instance.id}`)
    await page.getByLabel('Admin key or API key', { exact: true }).fill(world.gateway.admin.authorization.slice('Bearer '.length))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'WhatsApp wants the passkey' }).waitFor()
    return page
  }

  describe('with the extension', () => {
    let profile: string
    let context: BrowserContext
    const requests: string[] = []
    before(async () => {
      profile = await mkdtemp(join(tmpdir(), 'svc-browser-'))
      context = await launchWithExtension(profile, EXTENSION, site.flags)
      context.on('request', (request) => requests.push(request.url()))
    })
    after(async () => {
      await context?.close()
      await rm(profile, { recursive: true, force: true })
    })

    test('QR code, scan, button, card, passkey and tick; no script of WhatsApp runs, and nothing is fetched from elsewhere', async () => {
      const { linking, page } = await scanned(context)
      const watched = watch(page)
      await picture(page, 'pairing-passkey')
      const [opened] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('button', { name: 'Open WhatsApp Web' }).click(),
      ])
      const tab = await tabOf(opened, await passkeyOf(linking))
      const { host } = new URL(world.gateway.baseUrl)
      const text = await tab.says(QUESTION)
      for (const part of ['“test” at', host, 'reads and writes all your chats', 'not linked anything to', 'is not encrypted'])
        assert.ok(text.includes(part), `${part}: ${text}`)
      await picture(opened, 'extension-card')
      await page.getByText('The helper asks for the passkey').waitFor()
      assert.equal(await opened.evaluate('document.activeElement.shadowRoot'), null, 'the card is closed to scripts')
      await tab.press('Confirm')
      await tab.says('look at the phone')
      await page.locator('#tick').waitFor({ state: 'visible' })
      await connected(linking)
      assert.deepEqual(
        [opened.url(), ...(await tab.history())].filter((url) => url.includes('svc-passkey')),
        [],
      )
      assert.equal(await opened.evaluate('typeof window.seen'), 'undefined', 'the script of the page has run')
      assert.deepEqual(watched.complaints, [])
      assert.deepEqual(
        requests.filter(
          (url) => ![WHATSAPP, `${world.gateway.baseUrl}/`, 'data:', 'chrome-extension:'].some((each) => url.startsWith(each)),
        ),
        [],
      )
      assert.ok(requests.includes(`${world.gateway.baseUrl}/passkey`), 'the requests of the extension are among them')
      await Promise.all([tab.close(), page.close()])
    })

    test('nothing is confirmed without a passkey, by another person, after Cancel, for a challenge that was replaced, or twice; the dashboard leads to the tick, too', async () => {
      const linking = await asked()
      await toSign(linking)
      const passkey = await passkeyOf(linking)
      for (const [what, held, isVerified] of [
        ['no passkey', undefined, true],
        ['somebody else', passkey, false],
      ] as const) {
        const tab = await openTab(context, (await ticketFor(linking)).open_url, held, { isVerified })
        assert.ok(!(await tab.says(QUESTION)).includes('not linked anything to'), 'the gateway was used before')
        await tab.press('Confirm')
        assert.ok((await tab.says('no passkey was found, or it was cancelled')).includes(QUESTION), `${what}: one can try again`)
        await tab.press('Cancel')
        await tab.says('Nothing was confirmed.')
        await tab.close()
      }
      assert.deepEqual([(await stateOf(linking)).stage, (await stateOf(linking)).attempts_left], ['awaiting_response', 3])

      const late = await openTab(context, (await ticketFor(linking)).open_url, passkey)
      await late.says(QUESTION)
      await withoutProof(linking)
      await toSign(linking)
      await late.press('Confirm')
      await late.says(EXPIRED)
      await late.close()

      const page = await dashboardOf(context, linking)
      const [opened] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('button', { name: 'Open WhatsApp Web' }).click(),
      ])
      const url = await page.getByRole('link', { name: 'No new tab?' }).getAttribute('href')
      const tab = await tabOf(opened, passkey)
      await tab.says(QUESTION)
      await page.getByText('The helper asks for the passkey').waitFor()
      await tab.press('Confirm')
      await tab.says('look at the phone')
      const used = await openTab(context, url!, passkey)
      await used.says(EXPIRED)
      await page.getByRole('button', { name: 'They match' }).click()
      await page.getByRole('heading', { name: 'Send a message' }).waitFor()
      await connected(linking)
      for (const each of [page, tab.page, used.page]) await each.close()
    })

    test('a gateway that is away is asked again with a button, and the signed answer is handed over without another press of the passkey', async () => {
      const linking = await asked()
      await toSign(linking)
      relay.close('bad gateway')
      const tab = await openTab(context, linkThroughRelay((await ticketFor(linking)).open_url), await passkeyOf(linking))
      await tab.says(AWAY)
      relay.close()
      await tab.press('Try again')
      await tab.says(AWAY)
      relay.open()
      await tab.press('Try again')
      await tab.says(QUESTION)
      relay.close('bad gateway')
      await tab.press('Confirm')
      await tab.says(AWAY)
      assert.deepEqual([(await stateOf(linking)).stage, (await stateOf(linking)).attempts_left], ['awaiting_response', 3])
      relay.open()
      await tab.forgetPasskeys()
      await tab.press('Try again')
      await tab.says('look at the phone')
      await connected(linking)
      await tab.close()
    })

    test('the dashboard says that the service is away, and keeps the answer that was pasted', async () => {
      const linking = await asked()
      const options = await toSign(linking)
      const page = await dashboardOf(context, linking, relay.url)
      await page.getByText('Without the helper, by hand').click()
      const answer = JSON.stringify(await world.sandbox.signPasskey(linking.phone, options))
      await page.getByLabel('5. Paste the answer').fill(answer)
      relay.close('bad gateway')
      await page.getByRole('button', { name: 'Hand in the answer' }).click()
      await page.getByText('The service does not answer.').last().waitFor()
      assert.equal(await page.getByLabel('5. Paste the answer').inputValue(), answer)
      relay.open()
      await page.getByRole('button', { name: 'Hand in the answer' }).click()
      await page.getByRole('heading', { name: 'Send a message' }).waitFor()
      await connected(linking)
      await page.close()
    })

    /** Evaluates an expression in the service worker, which is the part of the extension that talks to the gateway. */
    async function inWorker<T>(expression: string): Promise<T> {
      const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
      return (await worker
        .evaluate(`(async () => JSON.stringify(await (${expression})) ?? 'null')()`)
        .then((text) => JSON.parse(String(text)))) as T
    }

    test('a fragment is taken only as a whole: version, address and ticket', async () => {
      const whole = { v: 1, u: 'https://gw.example/api/passkey', t: 'A'.repeat(43) }
      const taken = { url: whole.u, ticket: whole.t }
      const text = JSON.stringify(whole)
      const cases: [string | object, object | null][] = [
        [whole, taken],
        [{ ...whole, later: true }, taken],
        [
          { ...whole, u: 'http://127.0.0.1:8080/passkey' },
          { ...taken, url: 'http://127.0.0.1:8080/passkey' },
        ],
        ...[{ v: 2 }, { v: '1' }, { v: undefined }].map((part): [object, null] => [{ ...whole, ...part }, null]),
        ...[42, 44].map((length): [object, null] => [{ ...whole, t: 'A'.repeat(length) }, null]),
        ...[`${'A'.repeat(42)}=`, `${'A'.repeat(42)}+`, 5, null, undefined].map((t): [object, null] => [{ ...whole, t }, null]),
        ...[
          'https://user@gw.example/passkey',
          'https://:pass@gw.example/passkey',
          'https://gw.example/passkey?to=elsewhere',
          'https://gw.example/passkey#there',
          'https://gw.example/other',
          'ftp://gw.example/passkey',
          'javascript:alert(1)//passkey',
          'no address',
          '',
          5,
          null,
          undefined,
        ].map((u): [object, null] => [{ ...whole, u }, null]),
        ...['', 'null', '[]', '5', text.slice(0, -1), `${text}x`].map((each): [string, null] => [each, null]),
      ]
      const opened = cases.map(([value]) =>
        Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url'),
      )
      const found = await inWorker<(object | null)[]>(`${JSON.stringify(opened)}.map((each) => parsed(each) ?? null)`)
      assert.deepEqual(
        found.map((value, at) => [cases[at]![0], value]),
        cases,
      )
      assert.equal(await inWorker("['', '%', 'é', 'AAAAA'].some((each) => parsed(each))"), false, 'no base64url')
    })

    test('each answer of a gateway has its sentence, and the name that it gives is shown without tricks', async () => {
      const of = (code: string) => JSON.stringify({ error: { code } })
      const answers: [number, string, RegExp, boolean][] = [
        [400, of('invalid_request'), /refused the answer/, false],
        [401, of('unauthorized'), /was used or has expired/, false],
        [404, '', /answered with the error 404/, false],
        [409, of('passkey_not_pending'), /no longer asks/, false],
        [429, of('rate_limited'), /asked too often/, true],
        [500, of('internal_error'), /answered with the error 500/, false],
        [500, '<html>', /does not answer/, true],
        [502, of('action_failed'), /did not accept the passkey/, false],
        [502, '', /does not answer/, true],
        [502, '{}', /does not answer/, true],
        [503, of('engine_unavailable'), /does not answer/, true],
        [504, of('send_timeout'), /WhatsApp did not answer/, false],
        [504, 'null', /does not answer/, true],
      ]
      for (const [status, body, problem, mayRetry] of answers) {
        const failure = await inWorker<{ problem: string; mayRetry: boolean }>(
          `failureOf(new Response(${JSON.stringify(body)}, { status: ${status} }))`,
        )
        assert.match(failure.problem, problem, `${status} ${body}`)
        assert.equal(failure.mayRetry, mayRetry, `${status} ${body}`)
      }
      assert.match((await inWorker<{ problem: string }>('failureOf(undefined)')).problem, /does not answer/)
      const names = [undefined, null, 5, '', ' a ', 'a\u202eb\u0000c\nd', 'x'.repeat(61)]
      assert.deepEqual(await inWorker(`[${names.map((name) => JSON.stringify(name) ?? 'undefined').join()}].map(shortName)`), [
        '',
        '',
        '5',
        '',
        'a',
        'abcd',
        'x'.repeat(60),
      ])
    })

    test('options that cannot be signed get a sentence, and nothing is handed in', async () => {
      const cases: [unknown, string][] = [
        [undefined, 'TypeError'],
        [5, 'TypeError'],
        [{}, 'TypeError'],
        [{ challenge: '%%%%' }, 'InvalidCharacterError'],
        [{ challenge: 'AAAA', allowCredentials: 5 }, 'TypeError'],
        [{ challenge: 'AAAA', allowCredentials: [{ type: 'public-key' }] }, 'TypeError'],
        [{ challenge: 'AAAA', allowCredentials: [{ type: 'public-key', id: '%' }] }, 'InvalidCharacterError'],
        [{ challenge: 'AAAA', rpId: 'gw.example' }, 'SecurityError'],
      ]
      let options: unknown
      const posted: string[] = []
      const gateway = createServer((request, response) => {
        if (request.method === 'POST') posted.push(request.url ?? '')
        response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' })
        response.end(JSON.stringify({ name: 'Shop', public_key: options }))
      })
      await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
      const { port } = gateway.address() as AddressInfo
      const opened = JSON.stringify({ v: 1, u: `http://127.0.0.1:${port}/passkey`, t: 'A'.repeat(43) })
      try {
        for (const [each, error] of cases) {
          options = each
          const tab = await openTab(context, `${WHATSAPP}#svc-passkey=${Buffer.from(opened).toString('base64url')}`, undefined)
          await tab.says(QUESTION)
          await tab.press('Confirm')
          await tab.says(`The browser could not ask for the passkey (${error}).`)
          await tab.close()
        }
        assert.deepEqual(posted, [])
      } finally {
        gateway.close()
        gateway.closeAllConnections()
      }
    })

    test('only the card on WhatsApp Web is answered, and no other page', async () => {
      const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
      const page = await context.newPage()
      await page.goto(new URL('manifest.json', worker.url()).href)
      const reply = await page.evaluate(
        "chrome.runtime.sendMessage({ step: 'forget' }).then((reply) => reply ?? 'none', () => 'none')",
      )
      assert.equal(reply, 'none')
      await page.close()
    })

    test('it leaves WhatsApp Web alone without a fragment, and refuses one that is damaged', async () => {
      const page = await context.newPage()
      await page.goto(WHATSAPP)
      await page.getByText('the app has started').waitFor()
      assert.deepEqual(
        await page.evaluate('[document.head.querySelector("meta[http-equiv]"), document.documentElement.children.length]'),
        [null, 2],
      )
      // A script of the page must get no answer if it imitates a message between the two scripts of the extension.
      assert.equal(
        await page.evaluate(`new Promise((resolve) => {
          document.addEventListener('svc-passkey-signed', () => resolve('answered'))
          document.dispatchEvent(new CustomEvent('svc-passkey-sign', { detail: '{}' }))
          setTimeout(resolve, 200, 'nobody')
        })`),
        'nobody',
      )
      await page.close()
      const asksBefore = requests.length
      for (const address of [
        'javascript:alert(1)//passkey',
        'https://gw.example/passkey?to=elsewhere',
        'https://gw.example/other',
        'no address',
      ]) {
        const fragment = Buffer.from(JSON.stringify({ v: 1, u: address, t: 'A'.repeat(43) })).toString('base64url')
        const tab = await openTab(context, `${WHATSAPP}#svc-passkey=${fragment}`, undefined)
        await tab.says('This link is damaged.')
        await tab.close()
      }
      assert.deepEqual(
        requests.slice(asksBefore).filter((url) => !url.startsWith(WHATSAPP) && !url.startsWith('data:')),
        [],
      )
    })
  })

  test('without the extension the page says how to add it, and by hand the console of WhatsApp Web does as well', {
    skip: repetition,
  }, async () => {
    const browser = await launch(site.flags)
    try {
      const context = await browser.newContext({ viewport: VIEWPORT })
      await context.clock.install()
      const { linking, page } = await scanned(context, relay.url)
      const watched = watch(page)
      const [opened] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('button', { name: 'Open WhatsApp Web' }).click(),
      ])
      await opened.getByText('the app has started').waitFor()
      const link = page.getByRole('link', { name: 'Download the helper' })
      assert.equal(await link.isVisible(), false)
      // Twelve seconds later the page no longer waits for the extension, and shows the link.
      await page.clock.fastForward(12_000)
      await link.waitFor({ state: 'visible' })
      const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
      assert.equal(download.suggestedFilename(), 'svc-passkey-extension.zip')
      assert.equal(await download.failure(), null)

      await tabOf(opened, await passkeyOf(linking))
      const sample = sampleWith('docs/passkeys.md', 'parseRequestOptionsFromJSON').replace(
        'JSON.stringify',
        'return JSON.stringify',
      )
      const challenge = JSON.stringify(await world.gateway.must(linking.instance, 'GET', '/passkey'))
      const assertion = JSON.parse(await opened.evaluate<string>(`(async (answer) => { ${sample} })(${challenge})`))
      assert.equal(assertion.type, 'public-key')
      assert.notEqual(assertion.response.signature, '')
      // The text is evaluated as if a person had pasted it into the console. So the policy of the page (with Trusted
      // Types) applies to it.
      await opened.evaluate(await page.getByLabel('Text to paste').inputValue())
      await opened.getByRole('button', { name: 'Confirm with the passkey' }).click()
      const answer = opened.getByLabel('Answer')
      await answer.waitFor({ state: 'visible' })
      await picture(opened, 'by-hand-box')
      await page.getByLabel('Answer').fill('not this')
      await page.getByRole('button', { name: 'Hand in the answer' }).click()
      await page.getByText('This is not the answer.').waitFor()
      await page.getByLabel('Answer').fill(await answer.inputValue())
      relay.close('bad gateway')
      await page.getByRole('button', { name: 'Hand in the answer' }).click()
      await page.getByText('The service does not answer. This page keeps trying.').first().waitFor()
      relay.open()
      await page.getByRole('button', { name: 'Hand in the answer' }).click()
      await page.locator('#tick').waitFor({ state: 'visible' })
      await connected(linking)
      // Chromium logs each answer with the status 502 as an error, so these errors are left out.
      const complaints = watched.complaints.filter((each) => !each.includes('502 (Bad Gateway)'))
      assert.deepEqual([foreign(watched, relay.url), complaints], [[], []])
    } finally {
      await browser.close()
    }
  })
})
