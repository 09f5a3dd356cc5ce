/** Language of the page: the one that was chosen here before, otherwise the first one of the browser that the page has. */
import { isLanguage, type Language, languageOf } from '../../domain/language.ts'

/** The choice is for all services of an origin. Unlike the proof of a session, it is not secret. */
const KEY = 'svc_language'

function stored(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    // The browser refuses storage, so nothing was stored there.
    return null
  }
}

function chosen(): Language {
  const earlier = stored()
  return isLanguage(earlier) ? earlier : languageOf(navigator.languages)
}

/** It does not change while the page is open, so that constants of modules may have texts. */
export const language = chosen()

/** Tag for the formats of numbers and times. */
export const formats = { en: 'en', pt: 'pt-BR', es: 'es' }[language]

/** Loads the page again in another language. The session continues. */
export function chooseLanguage(next: Language): void {
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // Without storage the choice cannot survive a reload, so the language stays.
    return
  }
  location.reload()
}
