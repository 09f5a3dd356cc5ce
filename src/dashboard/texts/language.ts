/**
 * The language of the page: the language that the user chose before, or else the first language of the browser in which
 * the page has texts.
 */
import { isLanguage, type Language, languageOf } from '../../domain/language.ts'

/** Key of the stored choice. All services of an origin share it. */
const KEY = 'svc_language'

function stored(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

function chosen(): Language {
  const earlier = stored()
  return isLanguage(earlier) ? earlier : languageOf(navigator.languages)
}

/** Language of the page. It does not change while the page is open, so that constants of modules may contain texts. */
export const language = chosen()

export const formats = { en: 'en', pt: 'pt-BR', es: 'es' }[language]

/** Name of an event of the window. It is sent before the page is loaded again, so that forms can store their text. */
export const BEFORE_RELOAD = 'svc-before-reload'

/** Loads the page again in another language. The session continues. */
export function chooseLanguage(next: Language): void {
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // Without storage the choice cannot survive a reload, so the language stays.
    return
  }
  dispatchEvent(new Event(BEFORE_RELOAD))
  location.reload()
}
