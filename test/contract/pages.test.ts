/** Tests the HTML of the pages and their headers. `test/browser` tests the pages in a browser. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { VERSION } from '../../src/domain/brand.ts'
import { createPages } from '../../src/pages/pages.ts'
import { ROOT } from '../harness/checkout.ts'
import { unzip } from '../harness/unzip.ts'
import { openService } from './http/service.ts'

const service = await openService()
const base = (await service.newInstance()).base
after(() => service.close())

async function page(path: string) {
  const response = await service.app.request(`http://gw.test${path}`)
  return { status: response.status, headers: response.headers, html: await response.text() }
}
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

test('each is HTML that nobody frames, caches or learns the address of', async () => {
  for (const path of ['/', '/docs', `${base}/qr-code/page`]) {
    const { status, headers, html } = await page(path)
    assert.equal(status, 200, path)
    assert.match(headers.get('Content-Type') ?? '', /^text\/html/)
    assert.deepEqual(
      [headers.get('Referrer-Policy'), headers.get('Cache-Control'), headers.get('X-Content-Type-Options')],
      ['no-referrer', 'no-store', 'nosniff'],
    )
    const policy = headers.get('Content-Security-Policy') ?? ''
    for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"])
      assert.ok(policy.includes(rule), `${path}: ${rule}`)
    assert.ok(!/unsafe|https?:|\*/.test(policy), policy)
    // A link is not counted, because it loads nothing until somebody opens it.
    assert.deepEqual(html.replace(/<a [^>]*>/g, '').match(/(src|href)="(https?:)?\/\/[^"]*"/g), null)
  }
})

test('the policy of a page in one piece is the hash of its own script and style', async () => {
  for (const path of ['/', `${base}/qr-code/page`]) {
    const { headers, html } = await page(path)
    const policy = headers.get('Content-Security-Policy')!
    const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(html) ?? []
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(html) ?? []
    assert.ok(policy.includes(`script-src ${hashOf(script)};`) && policy.includes(`style-src ${hashOf(style)};`), policy)
    // The script is only parsed here, so that a syntax error is also noticed without a browser.
    assert.doesNotThrow(() => new Function(script))
  }
})

test('the pairing page does not know its own token: it asks beside itself', async () => {
  const { html } = await page(`${base}/qr-code/page`)
  assert.ok(!html.includes(base.split('/').at(-1)!))
  const wrong = base.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  assert.equal((await page(`${wrong}/qr-code/page`)).status, 401)
})

test('the files of the reference are served, compressed for whoever takes gzip, and no other files', async () => {
  const { html } = await page('/docs')
  const files = [...html.matchAll(/(?:src|href)="\.\/(docs\/[^"]+)"/g)].map(([, path]) => path!)
  assert.equal(files.length, 4)
  for (const file of files) {
    const plain = await service.app.request(`http://gw.test/${file}`)
    const packed = await service.app.request(`http://gw.test/${file}`, { headers: { 'Accept-Encoding': 'gzip' } })
    assert.deepEqual([plain.status, packed.status, packed.headers.get('Content-Encoding')], [200, 200, 'gzip'], file)
    assert.match(plain.headers.get('Content-Type') ?? '', /^text\/(css|javascript)/)
    assert.ok((await packed.arrayBuffer()).byteLength <= (await plain.arrayBuffer()).byteLength + 64)
  }
  for (const path of ['/docs/', '/docs/index.html', '/docs/..%2fpackage.json', '/docs/constructor', '/docs/swagger-ui.css.map'])
    assert.equal((await page(path)).status, 404, path)
})

test('the browser extension is served as an archive of exactly its folder', async () => {
  const response = await service.app.request('http://gw.test/passkey/extension.zip')
  assert.deepEqual(
    [
      response.status,
      ...['Content-Type', 'Content-Disposition', 'X-Content-Type-Options'].map((name) => response.headers.get(name)),
    ],
    [200, 'application/zip', 'attachment; filename="svc-passkey-extension.zip"', 'nosniff'],
  )
  assert.equal(response.headers.get('Access-Control-Allow-Origin'), null)
  const folder = new URL('extension/', ROOT)
  assert.deepEqual(
    unzip(Buffer.from(await response.arrayBuffer())),
    Object.fromEntries(
      readdirSync(folder).map((name) => [`svc-passkey-extension/${name}`, readFileSync(new URL(name, folder), 'utf8')]),
    ),
  )
})

test('the browser extension has the version of the software, one permission, and scripts on one site', () => {
  const { manifest_version, version, permissions, host_permissions, optional_permissions, content_scripts } = JSON.parse(
    readFileSync(new URL('extension/manifest.json', ROOT), 'utf8'),
  )
  assert.deepEqual(
    [manifest_version, version, permissions, host_permissions, optional_permissions],
    [3, VERSION, ['storage'], undefined, undefined],
  )
  for (const { matches } of content_scripts) assert.deepEqual(matches, ['https://web.whatsapp.com/*'])
})

test('nobody gets the files over and over', async () => {
  service.peer.address = '198.51.100.99'
  const status = async () => (await page('/docs/start.js')).status
  for (let at = 0; at < 20; at++) assert.equal(await status(), 200)
  assert.equal(await status(), 429)
  assert.equal((await page('/openapi.json')).status, 200)
})

test('the first page leads to the dashboard and to the reference', async () => {
  const { home } = createPages({ hasDocs: true, hasDashboard: true })
  for (const link of ['./dashboard', './docs', './openapi.json']) assert.ok(home.html.includes(`href="${link}"`), link)
})

test('the page for an unknown address leads to the dashboard and the reference from any folder, or has no links', async () => {
  for (const [folders, isLinked] of [
    [0, true],
    [1, true],
    [16, true],
    [17, false],
    [400, false],
  ] as const) {
    const url = new URL(`/svc/${'a/'.repeat(folders)}old`, 'http://gw.test')
    const { html } = createPages({ hasDocs: true, hasDashboard: true }).unknownAddress('en', url.pathname.slice('/svc'.length))
    const links = [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => new URL(href!, url).pathname)
    assert.deepEqual(links, isLinked ? ['/svc/dashboard', '/svc/docs'] : [], `${folders} folders`)
  }
})

test('without documentation or dashboard there is none, and nothing leads to one', async () => {
  const { home, asset } = createPages({ hasDocs: false, hasDashboard: false })
  assert.ok(!/docs|openapi|dashboard/i.test(home.html))
  assert.equal(await asset('start.js'), undefined)
})

test('the version is that of the software', async () => {
  assert.deepEqual((await service.ask('GET', '/version')).body, { name: 'svc', version: VERSION, api: '1.0' })
})
