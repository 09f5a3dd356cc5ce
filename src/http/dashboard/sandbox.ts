/**
 * Gives access to the simulated network of the sandbox, for its dashboard page: simulated phones that scan codes, and simulated people who write and
 * read messages. Requests are passed to the control API on this machine. Only the requests that the page needs are allowed; those that simulate
 * faults or forged messages are not.
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

export function mountSandbox(
  app: Hono<Env>,
  base: string,
  controlUrl: string,
  { bodies, source }: Pick<MountDeps, 'bodies' | 'source'>,
): void {
  async function pass(c: Context<Env>, path: string): Promise<Response> {
    const memory = bodies.lease('sandbox')
    try {
      const body = await wholeOf(await receiveBody(c.req.raw, memory, source))
      const answer = await fetch(`${controlUrl}${path}${new URL(c.req.url).search}`, {
        method: c.req.method,
        signal: c.req.raw.signal,
        ...(body.byteLength > 0 ? { body, headers: { 'Content-Type': 'application/json' } } : {}),
      }).catch((cause: unknown) => {
        throw new Failure('engine_unavailable', { message: 'The simulated network does not answer.', cause })
      })
      return new Response(answer.body, { status: answer.status, headers: { 'Content-Type': 'application/json' } })
    } finally {
      memory.release()
    }
  }

  for (const each of PATHS) {
    const [method, pattern] = each.split(' ') as [string, string]
    app.on(method, base + pattern, (c) => {
      c.get('state').route = base + pattern.replace(/:(\w+)/g, '{$1}')
      const phone = (c.req.param() as { phone?: string }).phone
      return pass(c, pattern.replace(':phone', encodeURIComponent(phone ?? '')))
    })
  }
}
