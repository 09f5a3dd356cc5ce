/** An app that asks for access to `/mcp` by OAuth, and the browser of the owner who allows it. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'

const CALLBACK = 'http://127.0.0.1:9/callback'

interface ConsentPage {
  ticket: string
  cookie: string
}

async function pageOf(response: Response): Promise<ConsentPage> {
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return {
    ticket: /name="ticket" value="([0-9a-f]+)"/.exec(text)![1]!,
    cookie: response.headers.get('set-cookie')!.split(';')[0]!,
  }
}

const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' })

export type OauthApp = Awaited<ReturnType<typeof registerApp>>

/**
 * Registers an app, and returns the steps of its authorization. Each step takes the URL of a service, because a later
 * step may be carried out at another one.
 */
export async function registerApp(registeredAt: string, name = 'Assistant') {
  const verifier = randomBytes(32).toString('base64url')
  const registered = await fetch(`${registeredAt}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [CALLBACK] }),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  const decide = (url: string, { ticket, cookie }: ConsentPage, fields: Record<string, string>) =>
    post(`${url}/oauth/authorize`, { ticket, ...fields }, { Cookie: cookie })

  function urlAt(url: string): string {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: CALLBACK,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 's',
      resource: `${url}/mcp`,
    })
    return `${url}/oauth/authorize?${query}`
  }

  return {
    /** Returns the address of the page on which the owner decides. */
    urlAt,
    open: async (url: string): Promise<ConsentPage> => pageOf(await fetch(urlAt(url))),
    enterKey: async (url: string, page: ConsentPage, key: string): Promise<ConsentPage> =>
      pageOf(await decide(url, page, { key })),
    /** Allows the access as the owner, and resolves with the authorization code. */
    async allow(url: string, page: ConsentPage, instance: string): Promise<string> {
      const allowed = await decide(url, page, { decision: 'allow', instance })
      assert.equal(allowed.status, 303, await allowed.text())
      return new URL(allowed.headers.get('location')!).searchParams.get('code')!
    },
    async redeem(url: string, code: string): Promise<{ status: number; accessToken: string }> {
      const fields = { grant_type: 'authorization_code', code, client_id, redirect_uri: CALLBACK, code_verifier: verifier }
      const response = await post(`${url}/oauth/token`, fields)
      return { status: response.status, accessToken: ((await response.json()) as { access_token: string }).access_token }
    },
    async mayList(url: string, accessToken: string): Promise<number> {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
      await response.text()
      return response.status
    },
  }
}

/**
 * Authorizes an app, one step with each `next`. After the last step, each `next` yields the status of a new request of
 * the app.
 */
export async function* consentSteps(
  url: string,
  { adminKey, instance }: { adminKey: string; instance: string },
): AsyncGenerator<number | undefined, never> {
  const app = await registerApp(url)
  const asked = await app.open(url)
  yield
  const known = await app.enterKey(url, asked, adminKey)
  yield
  const code = await app.allow(url, known, instance)
  yield
  const { accessToken } = await app.redeem(url, code)
  for (;;) yield await app.mayList(url, accessToken)
}
