import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../../domain/language.ts'
import { chooseLanguage, language } from '../texts/language.ts'
import { t } from '../texts/t.ts'

export const LanguageChoice = () => (
  <select
    class="quiet"
    aria-label={t('Language')}
    value={language}
    onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}
  >
    {LANGUAGES.map((each) => (
      <option key={each} value={each} lang={each}>
        {LANGUAGE_NAMES[each]}
      </option>
    ))}
  </select>
)
