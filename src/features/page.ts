import { type Language, languageOf } from '../domain/language.ts'
import type { Page } from './parts.ts'

export const HTML = 'text/html; charset=utf-8'

/**
 * Returns the language of a page for a request. Weights in the header are ignored, because browsers list the languages
 * by preference.
 */
export const languageOfRequest = (request: Request): Language =>
  languageOf((request.headers.get('Accept-Language') ?? '').split(',').map((each) => each.split(';')[0]!))

export const wantsPage = (request: Request): boolean => (request.headers.get('Accept') ?? '').includes('text/html')

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
