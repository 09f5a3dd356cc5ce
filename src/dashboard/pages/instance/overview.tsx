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
import type { TabProps } from './tab.ts'
import { Token } from './token.tsx'

/** A new pairing cannot help an instance that is connected, connecting, banned or paused. */
const mayBePaired = ({ status, status_reason }: TabProps['row']) =>
  !['connected', 'disconnected', 'banned'].includes(status) && status_reason !== 'paused'

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
      <dt>{t('Connected')}</dt>
      <dd>{row.connected_at ? <Ago at={row.connected_at} /> : '–'}</dd>
      <dt>{t('Heard from the network')}</dt>
      <dd>
        <Ago at={row.last_inbound_at} none={row.connected_at ? t('nothing since it connected') : '–'} />
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
      {row.status === 'connected' ? (
        <Allowed to="instances.send" title={t('Send a message')}>
          <SendCard row={row} />
        </Allowed>
      ) : (
        <Allowed to="instances.pair" title={t('Pair with the phone')}>
          <Pairing row={row} />
        </Allowed>
      )}
      {mayBePaired(row) ? <ConnectLinks id={row.id} /> : null}
      <Account row={row} />
      <Allowed to="instances.token" title={t('Token')}>
        <Token instance={instance.data} reload={instance.reload} />
      </Allowed>
      <History row={row} />
    </div>
    {row.was_connected ? <Activity id={row.id} /> : null}
  </>
)
