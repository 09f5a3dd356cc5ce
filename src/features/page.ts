/** Answer with an HTML page for people. Its policy allows only the resources of the page. */
import type { Page } from './parts.ts'

export const HTML = 'text/html; charset=utf-8'

export const pageResponse = ({ html, policy }: Page, status = 200) =>
  new Response(html, {
    status,
    headers: {
      'Content-Type': HTML,
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Opener-Policy': 'same-origin',
    },
  })
