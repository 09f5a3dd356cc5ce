import { readFile } from 'node:fs/promises'
import { Agent as HttpsAgent } from 'node:https'
import type { UserFacingSocketConfig } from '@whiskeysockets/baileys'
import { Agent, buildConnector } from 'undici'

export interface MediaRoute {
  /** Options of the library's socket that make it upload and download all media through this route. */
  options: Pick<UserFacingSocketConfig, 'fetchAgent' | 'options'>
  close(): Promise<void>
}

/**
 * Redirects all media requests of the library to the sandbox, including requests to fixed hosts for history and
 * settings.
 */
export async function mediaRoute({ ca: file, media_host }: { ca: string; media_host: string }): Promise<MediaRoute> {
  const ca = await readFile(file, 'utf8')
  const port = media_host.split(':')[1]!
  const direct = buildConnector({ ca })
  const dispatcher = new Agent({
    connect: (to, done) =>
      to.hostname.endsWith('.whatsapp.net')
        ? direct({ ...to, hostname: '127.0.0.1', host: media_host, port, servername: to.hostname }, done)
        : direct(to, done),
  })
  return {
    options: { fetchAgent: new HttpsAgent({ ca }), options: { dispatcher } as unknown as RequestInit },
    close: () => dispatcher.close(),
  }
}
