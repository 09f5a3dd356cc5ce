import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { BRAND } from '../domain/brand.ts'
import type { Asset, Page } from '../features/parts.ts'
import { docsScript } from './docs-script.ts'
import { CLOSED, documentOf } from './page.ts'

const compress = promisify(gzip)
const { resolve } = createRequire(import.meta.url)
const fileOf = (name: string) => readFile(resolve(`swagger-ui-dist/${name}`), 'utf8')

/** The dark colours are those of Swagger UI, which `start.js` switches on. */
const STYLE = `
body { margin: 0 }
.bar { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; padding: .6rem 1.25rem; border-bottom: 1px solid #d9e1dd; font: 14px/1.5 system-ui, sans-serif; color: #17211d }
.bar a { color: #0b7540; font-weight: 600 }
.bar p { flex-basis: 100%; margin: 0 }
.bar form { display: flex; flex-wrap: wrap; gap: .5rem }
.bar label { display: flex; gap: .4rem; align-items: center }
.bar input { padding: .3rem .5rem; border: 1px solid #84938c; border-radius: 6px; font: inherit }
@media (prefers-color-scheme: dark) {
  html, .bar { background: #1c2022; color: #e4e6e6 }
  .bar { border-color: #545d61 }
  .bar a { color: #3ece90 }
  .bar input { background: inherit; color: inherit }
  .dark-mode .swagger-ui :is(table.headers td, .examples-select__section-label) { color: #e4e6e6 }
}
`

const BAR = `<header class="bar">
<a href="./dashboard">svc dashboard</a>
<form name="instance" autocomplete="off">
<label>Instance <input name="instance_id" size="36" placeholder="id of the instance"></label>
<label>Token <input name="token" type="password" placeholder="its token"></label>
</form>
<p>Most operations need only these two, which stay in this browser tab. Admin and Account operations need a key: press <em>Authorize</em>.</p>
</header>`

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const

const FILES: Readonly<Record<string, { type: keyof typeof TYPES; text(): Promise<string> }>> = {
  'swagger-ui.css': { type: 'css', text: () => fileOf('swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'js', text: () => fileOf('swagger-ui-bundle.js') },
  'page.css': { type: 'css', text: async () => STYLE },
  'start.js': { type: 'js', text: async () => docsScript },
}

const html = documentOf(
  `<link rel="stylesheet" href="./docs/swagger-ui.css">
<link rel="stylesheet" href="./docs/page.css">
<title>${BRAND} API</title>`,
  `${BAR}
<div id="reference"></div>
<script src="./docs/swagger-ui-bundle.js"></script>
<script src="./docs/start.js"></script>`,
)

export const docsPage = (): Page => ({
  html,
  policy: [...CLOSED, "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"].join('; '),
})

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
