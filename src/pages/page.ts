/**
 * Parts of the pages for people. A page of `makePage` is one document with its style and script, and its policy allows
 * only these two, by their hashes.
 */
import { createHash } from 'node:crypto'
import type { Page } from '../features/parts.ts'

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Policy that allows no external resources, form targets or embedding. */
export const CLOSED = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]

const STYLE = `
:root { color-scheme: light dark; --ink: #17211d; --soft: #5b6b64; --paper: #f6f8f7; --card: #fff; --line: #d9e1dd; --green: #128c4a; --button: #0b7540 }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eeeb; --soft: #9db0a7; --paper: #101614; --card: #18211d; --line: #2c3a34; --green: #2fbf71; --button: #0b7540 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { width: min(34rem, 100vw - 2rem); margin: 2rem 0; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 14px; overflow-wrap: anywhere }
h1 { margin: 0 0 .5rem; font-size: 1.5rem }
p { margin: .5rem 0 } small, .soft { color: var(--soft) }
a { color: var(--green) }
form { display: flex; gap: .5rem; margin: 1rem 0 } input { flex: 1; min-width: 0 }
input, button { padding: .6rem .8rem; border: 1px solid var(--line); border-radius: 8px; font: inherit; background: var(--paper); color: inherit }
button { background: var(--green); border-color: var(--green); color: #fff; cursor: pointer } button:disabled { opacity: .5 }
[hidden] { display: none !important }
`

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
/** Makes a text of another person safe as part of a document. */
export const escaped = (text: string) => text.replace(/[&<>"']/g, (mark) => ENTITIES[mark]!)

/** Returns a document that search engines do not index. `head` is added to the common head. */
export const documentOf = (head: string, body: string, language = 'en') => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
${head}
</head>
<body>
${body}
</body>
</html>
`

/**
 * Creates a page. `connects`: its script calls this service. `formsTo`: allowed targets of its forms and of their
 * redirects. `framedBy`: origins whose pages may frame it.
 */
export function makePage({
  title,
  body,
  style = '',
  script,
  connects = false,
  formsTo,
  framedBy = [],
  language,
}: {
  title: string
  body: string
  style?: string
  script?: string
  connects?: boolean
  formsTo?: string
  framedBy?: readonly string[]
  language?: string
}): Page {
  const css = STYLE + style
  const html = documentOf(
    `<title>${title}</title>\n<style>${css}</style>`,
    `<main>${body}</main>${script === undefined ? '' : `\n<script>${script}</script>`}`,
    language,
  )
  const policy = [
    ...CLOSED.map((rule) => {
      if (rule.startsWith('form-action') && formsTo !== undefined) return `form-action ${formsTo}`
      return rule.startsWith('frame-ancestors') && framedBy.length > 0 ? `frame-ancestors ${framedBy.join(' ')}` : rule
    }),
    `style-src ${hashOf(css)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    'img-src data:',
    ...(connects ? ["connect-src 'self'"] : []),
  ].join('; ')
  return { html, policy }
}
