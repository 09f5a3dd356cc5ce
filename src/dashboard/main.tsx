import { effect } from '@preact/signals'
import { render } from 'preact'
import { close, open } from './api/live.ts'
import { refusals, session } from './api/session.ts'
import { loadSession } from './api/sign-in.ts'
import { showTheme, storedTheme } from './api/theme.ts'
import { App } from './app/app.tsx'
import { language } from './texts/language.ts'

effect(() => {
  if (session.value) open()
  else close()
})

/**
 * A refusal may mean that the rights of the key have changed, so the session is read again. If it cannot be read, the
 * page stays as it is.
 */
refusals.subscribe((count) => {
  if (count > 0 && session.peek()?.key) loadSession().catch(() => {})
})

document.documentElement.lang = language
showTheme(storedTheme())
loadSession().catch(() => {
  session.value = null
})
const place = document.getElementById('app')!
place.replaceChildren()
render(<App />, place)
