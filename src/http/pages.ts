import type { Hono } from 'hono'
import { Failure } from '../domain/failures.ts'
import { pageResponse } from '../features/page.ts'
import type { Pages } from '../features/parts.ts'
import { takesGzip } from '../features/system.ts'
import type { AccessChecks } from './access-checks.ts'
import { NO_ROUTE } from './errors.ts'
import type { Env } from './mount.ts'

/**
 * Value of `Cache-Control` for the browser extension and the files of the API reference, which change only with the
 * version of the service.
 */
const ASSET_CACHE = 'max-age=3600'

const EXTENSION = '/passkey/extension.zip'

export function mountPages(app: Hono<Env>, pages: Pages, gate: Pick<AccessChecks, 'described'>): void {
  app.get('/', (c) => {
    c.get('state').route = '/'
    return pageResponse(pages.home)
  })

  app.get('/docs/:asset', async (c) => {
    const asset = await pages.asset(c.req.param('asset'))
    if (!asset) throw new Failure('not_found', { message: NO_ROUTE })
    c.get('state').route = '/docs/{asset}'
    // This limit is separate from the limit of the description, which the same page loads.
    gate.described(c.get('state'), 'asset:')
    const isPacked = takesGzip(c.req.header('Accept-Encoding') ?? '')
    const headers = {
      'Content-Type': asset.type,
      'Cache-Control': ASSET_CACHE,
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
    }
    return isPacked
      ? new Response(asset.gzip, { headers: { ...headers, 'Content-Encoding': 'gzip' } })
      : new Response(asset.content, { headers })
  })

  app.get(EXTENSION, async (c) => {
    c.get('state').route = EXTENSION
    gate.described(c.get('state'), 'asset:')
    const archive = await pages.extension()
    if (!archive) throw new Failure('not_found', { message: NO_ROUTE })
    return new Response(archive, {
      headers: {
        'Content-Type': 'application/zip',
        'Content-Disposition': 'attachment; filename="svc-passkey-extension.zip"',
        'Cache-Control': ASSET_CACHE,
        'X-Content-Type-Options': 'nosniff',
      },
    })
  })
}
