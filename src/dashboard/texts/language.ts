/** Language of the page: the one that the user chose before, otherwise the first language of the browser for which the page has texts. */
import { isLanguage, type Language, languageOf } from '../../domain/language.ts'

/** Key in the browser's storage. All services of an origin share the choice, because a language, unlike the proof of a session, is not secret. */
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

/** Language of the page. It does not change while the page is open, so that constants of modules may contain texts. */
export const language = chosen()

/** Language tag with which numbers and times are formatted. */
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
