import type { Context } from 'hono'
import type { DashboardFile, DashboardFiles } from '../../features/parts.ts'
import { takesGzip } from '../../features/system.ts'
import type { Env } from '../mount.ts'

const YEAR = 31_536_000
const FOR_EVER = `public, max-age=${YEAR}, immutable`

/** File name of the document. Browsers must revalidate it each time, because it names the files of its version. */
export const INDEX = 'index.html'

export async function answerFile(c: Context<Env>, file: DashboardFile, { policy }: DashboardFiles): Promise<Response> {
  const gzip = takesGzip(c.req.header('Accept-Encoding') ?? '') ? file.gzip : undefined
  // The compressed file needs another ETag than the plain one (RFC 9110, 8.8.3).
  const etag = gzip ? file.etag.replace(/"$/, '-gzip"') : file.etag
  const headers = new Headers({
    ETag: etag,
    'Cache-Control': file.isForEver ? FOR_EVER : 'no-cache',
    Vary: 'Accept-Encoding',
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  })
  const known = c.req.header('If-None-Match')?.split(',') ?? []
  if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag)) return new Response(null, { status: 304, headers })
  headers.set('Content-Type', file.type)
  if (!gzip) return new Response(file.content, { headers })
  headers.set('Content-Encoding', 'gzip')
  return new Response(await gzip(), { headers })
}
