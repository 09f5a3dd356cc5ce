/** The dashboard: one page, which only calls the service that it was loaded from. */
import { effect } from '@preact/signals'
import { render } from 'preact'
import { close, open } from './api/live.ts'
import { refusals, session } from './api/session.ts'
import { loadSession } from './api/sign-in.ts'
import { showTheme, storedTheme } from './api/theme.ts'
import { App } from './app/app.tsx'
import { language } from './texts/language.ts'

/** The live stream is open while a session is signed in. */
effect(() => {
  if (session.value) open()
  else close()
})

/** After a refusal the session is read again, because the rights of the key may have changed. If it cannot be read, the page does not change. */
refusals.subscribe((count) => {
  if (count > 0 && session.peek()?.key) loadSession().catch(() => {})
})

document.documentElement.lang = language
showTheme(storedTheme())
loadSession().catch(() => {
  session.value = null
})
const place = document.getElementById('app')!
// Until this script runs, the document shows only the logo. The application replaces it.
place.replaceChildren()
render(<App />, place)
