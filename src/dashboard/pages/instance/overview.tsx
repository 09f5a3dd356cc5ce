import { connectionOf } from '../../../domain/instance-list.ts'
import { NumberOf } from '../../parts/number-of.tsx'
import { Ago, At } from '../../parts/time.tsx'
import { Allowed } from '../../parts/withheld.tsx'
import { Name } from '../../parts/words.tsx'
import { t } from '../../texts/t.ts'
import { Activity } from '../activity/activity.tsx'
import { SendCard } from '../send/send-card.tsx'
import { ConnectLinks } from './connect-links.tsx'
import { History } from './history.tsx'
import { Pairing } from './pairing.tsx'
import { isLinked } from './state/is-linked.ts'
import type { TabProps } from './tab.ts'
import { Token } from './token.tsx'

const CONNECTION = {
  connected: t('Connected'),
  until: t('Connected until'),
  ended: t('Connection ended'),
  login: t('Last login'),
}

function Connection({ row }: Pick<TabProps, 'row'>) {
  const { is, at } = connectionOf(row)
  return (
    <>
      <dt>{CONNECTION[is]}</dt>
      <dd>
        <Ago at={at} none={row.was_connected ? '–' : t('never')} />
      </dd>
    </>
  )
}

const Account = ({ row }: Pick<TabProps, 'row'>) => (
  <section class="card">
    <header>
      <h2>{t('Account')}</h2>
    </header>
    <dl class="facts">
      <dt>{t('Number')}</dt>
      <dd>
        <NumberOf row={row} />
      </dd>
      <dt>{t('Profile')}</dt>
      <dd>{row.profile_name ? <Name>{row.profile_name}</Name> : '–'}</dd>
      <dt>{t('Phone system')}</dt>
      <dd>{row.platform ?? '–'}</dd>
      <Connection row={row} />
      <dt>{t('Last received')}</dt>
      <dd>
        <Ago at={row.last_inbound_at} none={row.status === 'connected' ? t('nothing since it connected') : '–'} />
      </dd>
      <dt>{t('Created')}</dt>
      <dd>
        <At at={row.created_at} />
      </dd>
      <dt>{t('Id')}</dt>
      <dd>
        <code>{row.id}</code>
      </dd>
    </dl>
  </section>
)

export const Overview = ({ row, instance }: TabProps) => (
  <>
    <div class="columns">
      <div class="stack wide-gap">
        {isLinked(row) ? (
          <Allowed to="instances.send" title={t('Send a message')}>
            <SendCard key={row.id} row={row} />
          </Allowed>
        ) : (
          <Allowed to="instances.pair" title={t('Pair with the phone')}>
            <Pairing row={row} />
          </Allowed>
        )}
        <ConnectLinks key={row.id} id={row.id} isPairable={!isLinked(row) && row.status !== 'banned'} />
      </div>
      <div class="stack wide-gap">
        <Account row={row} />
        <Allowed to="instances.token" title={t('Token')}>
          <Token instance={instance.data} reload={instance.reload} />
        </Allowed>
        <History row={row} />
      </div>
    </div>
    {row.was_connected ? <Activity id={row.id} /> : null}
  </>
)
