/** The page at `/oauth/authorize`. It has no script, because it shows texts of other people. */

import { BRAND } from '../domain/brand.ts'
import { namesakes, shortId } from '../domain/instance-choices.ts'
import { isolated, nameAndNumber } from '../domain/isolated-text.ts'
import type { ConsentView, Page } from '../features/parts.ts'
import { escaped, makePage } from './page.ts'

const style = `
form { flex-direction: column } select { padding: .6rem .8rem; border: 1px solid var(--line); border-radius: 8px; font: inherit; background: var(--paper); color: inherit }
.row { display: flex; gap: .5rem } button[value=deny] { background: none; color: inherit; border-color: var(--line) }
#problem { color: #c0392b }
`

const key = `<label for="key">Admin key of the workspace</label>
<input id="key" name="key" type="password" required maxlength="256" autocomplete="off" spellcheck="false" autofocus>
<div class="row"><button>Go on</button><button name="decision" value="deny" formnovalidate>Refuse</button></div>`

type Instances = NonNullable<ConsentView['instances']>

function options(instances: Instances): string {
  const alike = namesakes(instances)
  const label = ({ id, name, phone }: Instances[number]) =>
    `${phone === null ? isolated(name) : nameAndNumber(name, phone)}${alike.has(id) ? ` · ${shortId(id)}` : ''}`
  return instances.map((each) => `<option value="${escaped(each.id)}">${escaped(label(each))}</option>`).join('\n')
}

const choice = (instances: Instances) => `<label for="instance">Instance it may use</label>
<select id="instance" name="instance" required>
<option value="">Pick one</option>
${options(instances)}
</select>
<div class="row"><button name="decision" value="allow">Allow</button><button name="decision" value="deny" formnovalidate>Refuse</button></div>`

/**
 * Returns the origin of a redirect URI for the policy. A policy cannot express an IPv6 address in brackets, so only the
 * protocol is returned for such an address.
 */
function sourceOf(redirectUri: string): string {
  const { protocol, hostname, origin } = new URL(redirectUri)
  return hostname.startsWith('[') ? protocol : origin
}

export const consentPage = ({ client, redirectUri, ticket, instances, problem }: ConsentView): Page =>
  makePage({
    title: `Give an app access · ${BRAND}`,
    style,
    formsTo: `'self' ${sourceOf(redirectUri)}`,
    body: `
<h1>Give an app access?</h1>
<p><strong>${escaped(client)}</strong> asks to use one instance: to read its chats and to send messages as that account, until you revoke the access.</p>
<p class="soft">The app receives the answer at <code>${escaped(new URL(redirectUri).host)}</code>. The app chose this name itself. If you did not just start this in that app, press Refuse.</p>
${problem === undefined ? '' : `<p id="problem" role="alert">${escaped(problem)}</p>`}
<form method="post" action="./authorize"><input type="hidden" name="ticket" value="${escaped(ticket)}">
${instances ? choice(instances) : key}
</form>`,
  })
