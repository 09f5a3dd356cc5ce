/** Themes that the user can choose. The choice is stored per origin, so all services of an origin share it. */
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'svc_theme'

export const isTheme = (text: string | null): text is Theme => THEMES.some((theme) => theme === text)

export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY)
    return isTheme(stored) ? stored : 'system'
  } catch {
    return 'system'
  }
}

export const showTheme = (theme: Theme): void => document.documentElement.setAttribute('data-theme', theme)

export function chooseTheme(theme: Theme): void {
  showTheme(theme)
  try {
    if (theme === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // If the browser has no storage, the choice lasts until the page is loaded again.
  }
}
