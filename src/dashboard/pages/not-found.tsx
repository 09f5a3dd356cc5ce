import { useEffect } from 'preact/hooks'
import { route, to } from '../app/route.ts'
import { setTitle } from '../app/title.ts'
import { t } from '../texts/t.ts'

export function NotFoundPage() {
  const name = t('Page not found')
  // The frame sets the title of the area first, so this page sets its title after that.
  useEffect(() => setTitle(name), [route.value])
  return (
    <div class="page">
      <header>
        <h1>{name}</h1>
      </header>
      <section class="card">
        <p>{t('There is no page at this address. Check whether all of it was copied.')}</p>
        <p>
          <a href={to(['instances'])}>{t('All instances')}</a>
        </p>
      </section>
    </div>
  )
}
