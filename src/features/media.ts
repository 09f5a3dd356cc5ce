/** Serves received files. The link to a file is the credential. */
import { z } from 'zod'
import { Failure } from '../domain/failures.ts'
import { ANY, local } from './endpoint.ts'

/**
 * Matches types that a browser would execute instead of saving the file. Scripts have many type names (WHATWG MIME
 * Sniffing, 4.6).
 */
const RUNNABLE =
  /^(?:text\/(?:html|xml|xsl|css|jscript|livescript)|application\/(?:xml|wasm)|(?:text|application)\/(?:x-)?(?:java|ecma)script[\d.]*|multipart\/.*|message\/.*|[^;]*\+xml)(?:;|$)/i
const MIME = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=(?:[\w.,+-]+|"[\w.,+ -]*"))*$/
const UNKNOWN = 'application/octet-stream'

export const typeOf = (mimeType: string) => (MIME.test(mimeType) && !RUNNABLE.test(mimeType) ? mimeType : UNKNOWN)

/** Returns the header `Content-Disposition` (RFC 6266), with an ASCII name for old clients and the real name. */
export function disposition(fileName: string | null): string {
  if (fileName === null) return 'attachment'
  // Because of the u flag, `\p{Cs}` matches only an unpaired half of a surrogate pair, which cannot be encoded.
  const name = fileName.replace(/[\p{Cc}\p{Cs}/\\]/gu, '_')
  const ascii = name.replace(/[^\x20-\x7e]|["%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Value of `Cache-Control` for a file. Its link is a credential, so shared caches must not store the file. */
const CACHE = 'private, no-store'

export const download = local('media.download', 'GET /media/{link}', {
  access: 'public',
  summary: 'Read a received file',
  description:
    'Serves the link from a media block of `received`, which is valid for 24 hours. The file is downloaded from the network, decrypted and verified while it is sent; if the verification fails, the connection is closed. With `SVC_MEDIA_URL` the link is valid for `SVC_MEDIA_DAYS`.',
  redirect:
    'Only with `SVC_MEDIA_URL`: the file has a copy in the bucket. `Location` is a link to it, which is valid for 24 hours.',
  input: { link: z.string().meta({ description: 'Last part of the link from the event.' }) },
  reply: z.instanceof(Uint8Array),
  contentType: ANY,
  errors: ['not_found', 'media_download_failed', 'instance_not_connected', 'instance_starting', 'engine_unavailable'],
  cacheControl: CACHE,
  async handle({ parts, request }, { link }) {
    const copy = await parts.copyOfReceivedFile(link)
    if (copy !== undefined) return new Response(null, { status: 302, headers: { Location: copy, 'Cache-Control': CACHE } })
    const opened = await parts.receivedFile(link, request.signal)
    if (!opened) throw new Failure('not_found', { message: 'The link has expired or is not valid.' })
    const { file, stream, length } = opened
    const headers = new Headers({
      'Content-Type': typeOf(file.mimeType),
      'Content-Disposition': disposition(file.fileName),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': CACHE,
    })
    // The length in the message is not used, because it may be wrong.
    if (length) headers.set('Content-Length', String(length))
    if (file.fileSha256) headers.set('ETag', `"${hex(file.fileSha256)}"`)
    return new Response(stream, { headers })
  },
  examples: [{ name: 'a received image', input: { link: 'c2VhbGVkLWxpbms' } }],
})
