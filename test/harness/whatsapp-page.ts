/**
 * Serves a page that replaces web.whatsapp.com, with TLS and a policy as strict as that of the real page. The script
 * of the page records what a script can read of the page's address.
 */
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { issueServerCertificate, openAuthority } from '../../packages/sandbox/src/testing.ts'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** The script of the page. It reads properties in which a script can see the page's address. */
const SCRIPT = `
window.seen = JSON.stringify([
  location.href, document.URL, document.baseURI, document.referrer, history.state,
  window.navigation && navigation.entries().map(({ url }) => url),
])
document.getElementById('app').textContent = 'the app has started'
`
const HTML = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>WhatsApp Web</title><link rel="icon" href="data:,"></head>
<body><div id="app"></div><script src="/app.js"></script></body></html>`

export async function startWhatsappPage() {
  const { cert, key } = await issueServerCertificate(await openAuthority(undefined))
  const asked: string[] = []
  const server = createServer({ cert, key }, (request, response) => {
    asked.push(request.url!)
    const isScript = request.url === '/app.js'
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
    response.setHeader('Content-Security-Policy', POLICY)
    response.end(isScript ? SCRIPT : HTML)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const spki = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' })
  return {
    asked,
    /** Flags with which Chromium opens this page at https://web.whatsapp.com. */
    flags: [
      `--host-resolver-rules=MAP web.whatsapp.com 127.0.0.1:${(server.address() as AddressInfo).port}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost`,
      `--ignore-certificate-errors-spki-list=${createHash('sha256').update(spki).digest('base64')}`,
    ],
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
