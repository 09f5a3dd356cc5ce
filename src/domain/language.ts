export const LANGUAGES = ['en', 'pt', 'es'] as const
export type Language = (typeof LANGUAGES)[number]

export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', pt: 'Português', es: 'Español' }

export const isLanguage = (text: string | null): text is Language => LANGUAGES.some((language) => language === text)

/** Returns the first wanted language (`pt-BR`, `en`) in which the pages exist; English if there is none. */
export function languageOf(wanted: readonly string[]): Language {
  const found = wanted.map((each) => each.trim().toLowerCase().split('-')[0]!).find(isLanguage)
  return found ?? 'en'
}
