import { BRAND, VERSION } from '../domain/brand.ts'
import type { Page } from '../features/parts.ts'
import { MARK } from './mark.ts'
import { makePage } from './page.ts'

const script = `
const form = document.querySelector('form')
form.addEventListener('submit', (event) => {
  event.preventDefault()
  const match = new RegExp('/instances/[0-9a-f-]+/token/[0-9a-f]+', 'i').exec(form.elements.url.value)
  form.elements.url.setCustomValidity(match ? '' : 'Paste the api_url of an instance: it contains /instances/ and /token/.')
  if (match) location.assign('.' + match[0] + '/qr-code/page')
  else form.reportValidity()
})
form.elements.url.addEventListener('input', () => form.elements.url.setCustomValidity(''))
`

const style = `
ol { padding-left: 1.3rem } li { margin: .35rem 0 }
.brand { display: flex; align-items: center; gap: .6rem; font-size: 1.5rem; font-weight: 650 }
.brand svg { color: var(--green) }
.open { display: inline-block; margin: .75rem 0; padding: .7rem 1.2rem; border-radius: 8px; background: var(--button); color: #fff; font-weight: 600; text-decoration: none }
details { margin: 1rem 0 } summary { cursor: pointer }
`

const dashboard = `
<p><a class="open" href="./dashboard">Open the dashboard</a></p>
<ol>
<li>Sign in with the admin key, which the service printed at its first start.</li>
<li>Create an instance.</li>
<li>Scan its QR code with WhatsApp on the phone, and send a first message.</li>
</ol>`

const documentation = `<p><a href="./docs">API reference</a>, where you can try every operation · <a href="./openapi.json">OpenAPI description</a></p>`

export const homePage = ({ hasDocs, hasDashboard }: { hasDocs: boolean; hasDashboard: boolean }): Page =>
  makePage({
    title: BRAND,
    style,
    script,
    body: `
<h1 class="brand">${MARK} ${BRAND}</h1>
<p>A self-hosted REST and webhook gateway to WhatsApp accounts. It is running.</p>
${hasDashboard ? dashboard : ''}
${hasDocs ? documentation : ''}
<details${hasDashboard ? '' : ' open'}><summary>Have the address of an instance? Pair it here</summary>
<p class="soft">Paste its <code>api_url</code>: the pairing page shows the QR code, or a code for a number.</p>
<form autocomplete="off"><input name="url" required placeholder="https://…/instances/…/token/…" aria-label="api_url of the instance"><button>Pair</button></form>
</details>
<p><small>Version ${VERSION} · <a href="./health/ready">health</a></small></p>`,
  })
