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

/** Style of the API reference. Colours of Swagger UI that are too faint to read are replaced. */
const STYLE = `
body { margin: 0 }
.bar { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; padding: .6rem 1.25rem; border-bottom: 1px solid #d9e1dd; font: 14px/1.5 system-ui, sans-serif; color: #17211d }
.bar a { color: #0b7540; font-weight: 600 }
.bar p { flex-basis: 100%; margin: 0 }
.bar form { display: flex; max-width: 100%; flex-wrap: wrap; gap: .5rem }
.bar label { display: flex; max-width: 100%; gap: .4rem; align-items: center }
.bar input { min-width: 0; padding: .3rem .5rem; border: 1px solid #84938c; border-radius: 6px; font: inherit }
html:not(.dark-mode) .swagger-ui .opblock-post .opblock-summary-method { background: #0b7540 }
html:not(.dark-mode) .swagger-ui .opblock-get .opblock-summary-method { background: #1f65b5 }
html:not(.dark-mode) .swagger-ui .opblock-put .opblock-summary-method { background: #8a5a00 }
html:not(.dark-mode) .swagger-ui .opblock-delete .opblock-summary-method { background: #b3261e }
html:not(.dark-mode) .swagger-ui .opblock-patch .opblock-summary-method { background: #0f6e5a }
html:not(.dark-mode) .swagger-ui .info .title small { background: #5a6270 }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #4d6b00 }
html:not(.dark-mode) .swagger-ui .info :is(.url, .link) { color: #1f65b5 }
html:not(.dark-mode) .swagger-ui .required::after { color: #b3261e }
html:not(.dark-mode) .swagger-ui .renderedMarkdown code { color: #6b0fc0 }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #0b7540; color: #0b7540 }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #0b7540 }
html:not(.dark-mode) .swagger-ui .btn.cancel { border-color: #b3261e; color: #b3261e }
html:not(.dark-mode) .swagger-ui .btn.execute { border-color: #1f65b5; background: #1f65b5 }
html:not(.dark-mode) .swagger-ui :is(.parameter__in, .prop-format, .json-schema-2020-12-expand-deep-button) { color: #5a6270 }
.swagger-ui .download-contents { background: #5a6270 }
/* This column is always empty, because the description has no links between operations. */
.swagger-ui .response-col_links { display: none }
html.dark-mode .swagger-ui .opblock .opblock-section-header .try-out__btn.cancel { border-color: #ff8a80; color: #ff8a80 }
@media (max-width: 480px) { .swagger-ui .opblock .opblock-section-header { padding-inline: 10px } }
@media (prefers-reduced-motion: reduce) { .swagger-ui * { transition: none !important } }
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
