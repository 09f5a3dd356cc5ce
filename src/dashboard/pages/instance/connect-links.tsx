/**
 * The connect links of an instance. With such a link, a customer pairs the instance on a separate page and without a
 * credential.
 */
import { useState } from 'preact/hooks'
import { LANGUAGE_NAMES, LANGUAGES } from '../../../domain/language.ts'
import { answer, api } from '../../api/client.ts'
import { useAction, useEvery, useLoad } from '../../app/load.ts'
import type { paths } from '../../generated/description.d.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { ActionDialog, Confirm, Dialog } from '../../parts/dialog.tsx'
import { Choice, Field, Line } from '../../parts/field.tsx'
import { Empty, Problem } from '../../parts/notice.tsx'
import { Secret } from '../../parts/secret.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { language } from '../../texts/language.ts'
import { t } from '../../texts/t.ts'

type Listed = paths['/account/connect-links']['get']['responses']['200']['content']['application/json']
type Link = Listed['data'][number]

const HOUR = 3_600
const LIVES = [
  [String(HOUR), t('an hour')],
  [String(24 * HOUR), t('a day')],
  [String(7 * 24 * HOUR), t('a week')],
] as const
const DAY = LIVES[1][0]

const LOCALES = LANGUAGES.map((each) => [each, LANGUAGE_NAMES[each]] as const)

const SHOWN = 10
/**
 * Milliseconds between two loads while a link is open. The link may expire, or the customer may use it, while the page
 * is open.
 */
const LOOK_EVERY_MS = 5_000

const LOOKS = { open: [t('Open'), 'good'], paired: [t('Used'), ''], expired: [t('Expired'), ''] } as const

const load = (instance_id: string) =>
  answer(api.GET('/account/connect-links', { params: { query: { instance_id, page_size: SHOWN } } }))

const columnsOf = (ask: (revoked: Link) => void): readonly Column<Link>[] => [
  {
    label: t('Link'),
    isHead: true,
    cell: ({ status }) => <Badge look={LOOKS[status][1]}>{LOOKS[status][0]}</Badge>,
  },
  { label: t('Made'), cell: ({ created_at }) => <Ago at={created_at} /> },
  { label: t('Expires'), cell: ({ expires_at }) => <Ago at={expires_at} /> },
  {
    label: '',
    isRight: true,
    cell: (link) =>
      link.status === 'open' ? (
        <Button
          isDangerous
          label={t('Revoke the link of {time}', { time: link.created_at })}
          onPress={() => ask(link)}
          needs="instances.link"
        >
          {t('Revoke')}
        </Button>
      ) : null,
  },
]

interface MakeProps {
  id: string
  onClose(): void
  onDone(): unknown
}

function MakeLink({ id, onClose, onDone }: MakeProps) {
  const [life, setLife] = useState<string>(DAY)
  const [locale, setLocale] = useState<Link['locale']>(language)
  const [operator, setOperator] = useState('')
  const [url, setUrl] = useState('')
  const action = useAction(async () => {
    const body = { instance_id: id, expires_in: Number(life), locale, ...(operator ? { operator_name: operator } : {}) }
    setUrl((await answer(api.POST('/account/connect-links', { body }))).url)
    await onDone()
    return undefined
  })
  if (url !== '')
    return (
      <Dialog title={t('Send this link')} onClose={onClose} closes={t('Done')} isKept>
        <p>
          {t(
            'A person who opens it can pair this instance with a phone, and do nothing else. It is shown only now; it ends when the instance is connected.',
          )}
        </p>
        <Secret value={url} what={t('link')} isOpen />
      </Dialog>
    )
  return (
    <ActionDialog
      title={t('Create a connect link')}
      does={t('Create')}
      action={action}
      fields={['operator_name']}
      onClose={onClose}
    >
      <Field label={t('Valid for')}>{(tied) => <Choice tied={tied} value={life} options={LIVES} onChange={setLife} />}</Field>
      <Field label={t('Language of the page')}>
        {(tied) => <Choice tied={tied} value={locale} options={LOCALES} onChange={(next) => setLocale(next as Link['locale'])} />}
      </Field>
      <Line
        label={t('Your name on the page')}
        hint={t('Optional')}
        value={operator}
        maxLength={60}
        wrong={action.problem?.issues.get('operator_name')}
        onChange={setOperator}
      />
    </ActionDialog>
  )
}

interface LinksProps {
  id: string
  /**
   * True if the instance has no account. The API refuses a new link for an instance that has one, but its earlier links
   * are still listed.
   */
  isPairable: boolean
}

export function ConnectLinks({ id, isPairable }: LinksProps) {
  const [isMaking, setMaking] = useState(false)
  const [revoked, setRevoked] = useState<Link>()
  const { data, problem, reload } = useLoad(() => load(id), [id, isPairable])
  useEvery(LOOK_EVERY_MS, () => {
    if (data?.data.some(({ status }) => status === 'open')) reload()
  })
  return (
    <section class="card flush" aria-label={t('Connect links')}>
      <header>
        <h2>{t('Let somebody else pair it')}</h2>
        {isPairable ? (
          <Button onPress={() => setMaking(true)} needs="instances.link">
            {t('Create a connect link')}
          </Button>
        ) : null}
        <p>
          {isPairable
            ? t('A connect link opens a page with the QR code, in the language of your customer and without a credential.')
            : t(
                'This instance has an account, so it needs no connect link. To let somebody else pair it, log out first, or create another instance; its page then makes the link.',
              )}
        </p>
      </header>
      <Problem of={problem} again={reload} />
      {isPairable && data?.total === 0 ? (
        <Empty title={t('No connect links')}>{t('Links that ended are listed for a week.')}</Empty>
      ) : null}
      {data && data.total > 0 ? (
        <Table name={t('Connect links')} rows={data.data} columns={columnsOf(setRevoked)} keyOf={(link) => link.id} />
      ) : null}
      {isMaking ? <MakeLink id={id} onClose={() => setMaking(false)} onDone={reload} /> : null}
      {revoked ? (
        <Confirm
          title={t('Revoke this link?')}
          does={t('Revoke')}
          onClose={() => setRevoked(undefined)}
          act={async () => {
            await answer(api.DELETE('/account/connect-links/{link_id}', { params: { path: { link_id: revoked.id } } }))
            await reload()
            return t('The link is revoked and opens nothing.')
          }}
        >
          <p>{t('Its page stops working immediately, and a pairing that was begun with it ends.')}</p>
        </Confirm>
      ) : null}
    </section>
  )
}
