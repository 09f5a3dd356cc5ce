import { BRAND } from '../domain/brand.ts'
import { LANGUAGES, type Language } from '../domain/language.ts'
import type { Page } from '../features/parts.ts'
import { makePage } from './page.ts'
import { PAIRING_WORDS } from './pairing-words.ts'

function pageIn(language: Language): Page {
  const { title, ended } = PAIRING_WORDS[language]
  return makePage({ title: `${title} · ${BRAND}`, language, body: `<h1>${title}</h1><p role="alert">${ended}</p>` })
}

/** The page in each language. All pages are built once, so that a request with a guessed URL takes little work. */
const PAGES = Object.fromEntries(LANGUAGES.map((language) => [language, pageIn(language)])) as Record<Language, Page>

export const pairingRefusalPage = (language: Language): Page => PAGES[language]
