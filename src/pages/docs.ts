/** `GET /docs`: the description in Swagger UI, all files of which the service serves. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { BRAND } from '../domain/brand.ts'
import type { Asset, Page } from '../features/parts.ts'
import { CLOSED, documentOf } from './page.ts'

const compress = promisify(gzip)
const { resolve } = createRequire(import.meta.url)
const fileOf = (name: string) => readFile(resolve(`swagger-ui-dist/${name}`), 'utf8')

/** `validatorUrl` is disabled; otherwise Swagger UI would request a badge from an external validator. */
const START = `
window.ui = SwaggerUIBundle({
  url: './openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
})
`

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const

const FILES: Readonly<Record<string, { type: keyof typeof TYPES; text(): Promise<string> }>> = {
  'swagger-ui.css': { type: 'css', text: () => fileOf('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'js', text: () => fileOf('swagger-ui-bundle.js') },
  'start.js': { type: 'js', text: async () => START },
}

const html = documentOf(
  `<link rel="stylesheet" href="./docs/swagger-ui.css">
<title>${BRAND} API</title>`,
  `<div id="reference"></div>
<script src="./docs/swagger-ui-bundle.js"></script>
<script src="./docs/start.js"></script>`,
)

export const docsPage = (): Page => ({
  html,
  policy: [...CLOSED, "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"].join('; '),
})

/** Returns the files of the page. Each is read and compressed once, on its first request. */
export function docsAssets(): (name: string) => Promise<Asset | undefined> {
  const made = new Map<string, Promise<Asset>>()

  async function make(name: string): Promise<Asset> {
    const { type, text } = FILES[name]!
    const content = await text()
    return { type: TYPES[type], content, gzip: new Uint8Array(await compress(content)) }
  }

  return async (name) => {
    if (!Object.hasOwn(FILES, name)) return undefined
    const asset = made.get(name) ?? make(name)
    made.set(name, asset)
    asset.catch(() => made.delete(name))
    return asset
  }
}
