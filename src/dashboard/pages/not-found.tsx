import { to } from '../app/route.ts'
import { t } from '../texts/t.ts'

export const NotFoundPage = () => (
  <div class="page">
    <header>
      <h1>{t('Page not found')}</h1>
    </header>
    <section class="card">
      <p>{t('There is no page at this address. Check whether all of it was copied.')}</p>
      <p>
        <a href={to(['instances'])}>{t('All instances')}</a>
      </p>
    </section>
  </div>
)
