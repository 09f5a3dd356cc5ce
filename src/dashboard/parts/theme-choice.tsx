import { useState } from 'preact/hooks'
import { chooseTheme, isTheme, storedTheme, type Theme } from '../api/theme.ts'
import { t } from '../texts/t.ts'

const NAMES: readonly (readonly [Theme, string])[] = [
  ['system', t('Colours of the system')],
  ['light', t('Light')],
  ['dark', t('Dark')],
]

export function ThemeChoice() {
  const [theme, setTheme] = useState(storedTheme)
  const change = (next: string) => {
    if (!isTheme(next)) return
    chooseTheme(next)
    setTheme(next)
  }
  return (
    <select class="quiet" aria-label={t('Colours')} value={theme} onChange={(event) => change(event.currentTarget.value)}>
      {NAMES.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  )
}
