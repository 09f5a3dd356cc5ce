/**
 * Gives the dashboard access to the simulated network of the sandbox. Only the requests that the page needs are passed
 * on.
 */
import type { Context, Hono } from 'hono'
import { Failure } from '../../domain/failures.ts'
import { receiveBody, wholeOf } from '../body.ts'
import type { Env, MountDeps } from '../mount.ts'

const PATHS = [
  'GET /state',
  'GET /stats',
  'PUT /settings',
  'POST /phones',
  'POST /phones/:phone/scan',
  'POST /phones/:phone/enter-code',
  'PUT /phones/:phone/passkey',
  'DELETE /phones/:phone/passkey',
  'POST /phones/:phone/passkey/accept',
  'POST /phones/:phone/unlink',
  'PUT /phones/:phone/restriction',
  'POST /phones/:phone/cut',
  'POST /phones/:phone/send',
  'POST /contacts',
  'POST /contacts/:phone/send',
  'POST /contacts/:phone/receipt',
  'POST /contacts/:phone/presence',
  'POST /contacts/:phone/call',
  'GET /contacts/:phone/inbox',
  'POST /groups',
  'PUT /network',
] as const

/**
 * Order to the simulation to suspend the account for an hour. The simulation tells the device at its next login, so the
 * connection is cut, too.
 */
const SUSPENSION = { do: { failure: 402, code: '101', expire: 3_600 }, on: 'login', times: 1 } as const

export function mountSandbox(
  app: Hono<Env>,
  base: string,
  controlUrl: string,
  { bodies, source }: Pick<MountDeps, 'bodies' | 'source'>,
): void {
  async function control(
    method: string,
    path: string,
    body: Uint8Array<ArrayBuffer> | string,
    signal: AbortSignal,
  ): Promise<Response> {
    const answer = await fetch(`${controlUrl}${path}`, {
      method,
      signal,
      ...(body.length > 0 ? { body, headers: { 'Content-Type': 'application/json' } } : {}),
    }).catch((cause: unknown) => {
      throw new Failure('engine_unavailable', { message: 'The simulated network does not answer.', cause })
    })
    return new Response(answer.body, { status: answer.status, headers: { 'Content-Type': 'application/json' } })
  }

  async function pass(c: Context<Env>, path: string): Promise<Response> {
    const memory = bodies.lease('sandbox')
    try {
      const body = await wholeOf(await receiveBody(c.req.raw, memory, source))
      return await control(c.req.method, path + new URL(c.req.url).search, body, c.req.raw.signal)
    } finally {
      memory.release()
    }
  }

  app.post(`${base}/phones/:phone/ban`, async (c) => {
    c.get('state').route = `${base}/phones/{phone}/ban`
    const phone = c.req.param('phone')
    const fault = await control('POST', '/faults', JSON.stringify({ ...SUSPENSION, match: { phone } }), c.req.raw.signal)
    return fault.ok ? control('POST', `/phones/${encodeURIComponent(phone)}/cut`, '', c.req.raw.signal) : fault
  })

  for (const each of PATHS) {
    const [method, pattern] = each.split(' ') as [string, string]
    app.on(method, base + pattern, (c) => {
      c.get('state').route = base + pattern.replace(/:(\w+)/g, '{$1}')
      const phone = (c.req.param() as { phone?: string }).phone
      return pass(c, pattern.replace(':phone', encodeURIComponent(phone ?? '')))
    })
  }
}
