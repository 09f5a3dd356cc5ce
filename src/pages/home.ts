/** `GET /`: a short description of the service, and links. */
import { BRAND, VERSION } from '../domain/brand.ts'
import type { Page } from '../features/parts.ts'
import { makePage } from './page.ts'

const script = `
const form = document.querySelector('form')
form.addEventListener('submit', (event) => {
  event.preventDefault()
  const match = new RegExp('/instances/[0-9a-f-]+/token/[0-9a-f]+', 'i').exec(form.elements.url.value)
  form.elements.url.setCustomValidity(match ? '' : 'This is no api_url of an instance.')
  if (match) location.assign('.' + match[0] + '/qr-code/page')
  else form.reportValidity()
})
form.elements.url.addEventListener('input', () => form.elements.url.setCustomValidity(''))
`

const dashboard = `<p><a href="./dashboard">Dashboard</a>: shows instances, messages and webhooks; sign in with the admin key</p>`

const documentation = `<p><a href="./docs">API reference</a>, where you can try every operation · <a href="./openapi.json">OpenAPI description</a></p>`

export const homePage = ({ hasDocs, hasDashboard }: { hasDocs: boolean; hasDashboard: boolean }): Page =>
  makePage({
    title: BRAND,
    script,
    body: `
<h1>${BRAND}</h1>
<p>A self-hosted REST and webhook gateway to WhatsApp accounts. It is running.</p>
${hasDashboard ? dashboard : ''}
${hasDocs ? documentation : ''}
<h2>Pair an instance</h2>
<p class="soft">Create an instance, then paste its <code>api_url</code>: the pairing page shows the QR code, or a code for a number.</p>
<form autocomplete="off"><input name="url" required placeholder="https://…/instances/…/token/…" aria-label="api_url of the instance"><button>Pair</button></form>
<p><small>Version ${VERSION} · <a href="./health/ready">health</a></small></p>`,
  })
