/** Frame around every page: navigation, the session, and whether the shown data is live. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { troubleOf } from '../../domain/instance-list.ts'
import { awaySince, connection, rows } from '../api/live.ts'
import { whyNot } from '../api/rights.ts'
import { session } from '../api/session.ts'
import { signOut } from '../api/sign-in.ts'
import { NotFoundPage } from '../pages/not-found.tsx'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { LanguageChoice } from '../parts/language-choice.tsx'
import { Sentence } from '../parts/sentence.tsx'
import { ThemeChoice } from '../parts/theme-choice.tsx'
import { At } from '../parts/time.tsx'
import { Withheld } from '../parts/withheld.tsx'
import { Name } from '../parts/words.tsx'
import { formats } from '../texts/language.ts'
import { t } from '../texts/t.ts'
import { CONTENT, focusContent } from './focus.ts'
import { useAction } from './load.ts'
import { PAGES } from './pages.ts'
import { route, to } from './route.ts'
import { setTitle } from './title.ts'

const shown = (isSandbox: boolean) => PAGES.filter((page) => isSandbox || !page.isSandbox)

/**
 * Mark with the number of instances in trouble. It is on the link to the instances, so that it is seen from every page.
 */
function TroubleMark() {
  const n = [...rows.value.values()].filter((row) => troubleOf(row) > 0).length
  if (n === 0) return null
  return (
    <span class="mark" title={t('{n} in trouble', { n })}>
      <span aria-hidden="true">{n.toLocaleString(formats)}</span>
      <span class="only-read-aloud">{t('{n} in trouble', { n })}</span>
    </span>
  )
}

function Foot() {
  const out = useAction(async () => {
    await signOut()
    return undefined
  })
  const { workspace, version, key } = session.value!
  return (
    <div class="foot">
      <span role="status">
        {connection.value === 'live' ? <Badge look="good">{t('Live')}</Badge> : <Badge look="warn">{t('Reconnecting')}</Badge>}
      </span>
      <small>
        <Name>{workspace.name}</Name> · {version}
      </small>
      {key ? (
        <small>
          <Sentence
            text="Key {name}: {rights}"
            elements={{ name: <Name>{key.name}</Name>, rights: <a href={to(['access'])}>{t('what it may do')}</a> }}
          />
        </small>
      ) : null}
      <small>
        <a href="../docs">{t('API reference')}</a>
      </small>
      <LanguageChoice />
      <ThemeChoice />
      <Button onPress={() => out.run()} isBusy={out.isBusy}>
        {t('Sign out')}
      </Button>
    </div>
  )
}

const Away = () =>
  awaySince.value === null ? null : (
    <div class="away" role="alert">
      <Sentence
        text="The service does not answer. You see the data of {time}; this page continues by itself."
        elements={{ time: <At at={new Date(awaySince.value).toISOString()} /> }}
      />
    </div>
  )

const Closed = ({ name, reason }: { name: string; reason: string }) => (
  <div class="page">
    <header>
      <h1>{name}</h1>
    </header>
    <section class="card">
      <Withheld reason={reason} />
    </section>
  </div>
)

export function Shell() {
  const pages = shown(session.value!.sandbox)
  const [first = pages[0]!.path] = route.value.path
  const page = pages.find(({ path }) => path === first)
  const name = page?.name ?? t('Page not found')
  const [isOpen, setOpen] = useState(false)
  const place = route.value.path.slice(0, 2).join('/')
  const before = useRef(place)
  useLayoutEffect(() => setTitle(name), [place])
  useEffect(() => {
    setOpen(false)
    // A screen reader announces the new page when its content gets the focus.
    if (before.current !== place) {
      focusContent()
      scrollTo(0, 0)
    }
    before.current = place
  }, [place])
  const Page = page?.show ?? NotFoundPage
  const reason = whyNot(page?.needs)
  return (
    <div class="shell">
      <header class="side" data-open={isOpen}>
        <button type="button" class="skip" onClick={focusContent}>
          {t('Skip to the content')}
        </button>
        <div class="top">
          <a class="brand" href={to([pages[0]!.path])}>
            <Icon name="brand" size={24} />
            svc
          </a>
          <span class="menu">
            <Button look="quiet" expanded={isOpen} label={t('Menu')} onPress={() => setOpen(!isOpen)}>
              <Icon name="menu" />
            </Button>
          </span>
        </div>
        <nav aria-label={t('Pages')}>
          {pages.map(({ path, name, icon }) => (
            <a key={path} class="side-link" href={to([path])} aria-current={path === page?.path ? 'page' : undefined}>
              <Icon name={icon} />
              {name}
              {path === 'instances' ? <TroubleMark /> : null}
            </a>
          ))}
        </nav>
        <Foot />
      </header>
      <main id={CONTENT} tabIndex={-1}>
        <Away />
        {reason ? <Closed name={name} reason={reason} /> : <Page />}
      </main>
    </div>
  )
}
