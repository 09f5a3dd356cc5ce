import { Notice } from '../../parts/notice.tsx'
import { Ago, At } from '../../parts/time.tsx'
import { Allowed } from '../../parts/withheld.tsx'
import { Name, phoneText } from '../../parts/words.tsx'
import { ConnectLinks } from './connect-links.tsx'
import { FirstMessage } from './first-message.tsx'
import { History } from './history.tsx'
import { Pairing } from './pairing.tsx'
import type { TabProps } from './tab.ts'
import { Token } from './token.tsx'

const Account = ({ row }: Pick<TabProps, 'row'>) => (
  <section class="card">
    <header>
      <h2>Account</h2>
    </header>
    <dl class="facts">
      <dt>Number</dt>
      <dd class="number">{phoneText(row.phone)}</dd>
      <dt>Profile</dt>
      <dd>{row.profile_name ? <Name>{row.profile_name}</Name> : '–'}</dd>
      <dt>Phone</dt>
      <dd>{row.platform ?? '–'}</dd>
      <dt>Connected</dt>
      <dd>{row.connected_at ? <Ago at={row.connected_at} /> : '–'}</dd>
      <dt>Last message in</dt>
      <dd>
        <Ago at={row.last_inbound_at} none="none since it connected" />
      </dd>
      <dt>Created</dt>
      <dd>
        <At at={row.created_at} />
      </dd>
      <dt>Id</dt>
      <dd>
        <code>{row.id}</code>
      </dd>
    </dl>
  </section>
)

export const Overview = ({ row, instance }: TabProps) => (
  <>
    {row.restriction ? (
      <Notice kind="warn">
        <div>
          <strong>The network restricts this account.</strong> Messages to people who never wrote to it stay in the queue
          {row.restriction.until ? (
            <>
              {' '}
              until <At at={row.restriction.until} />
            </>
          ) : (
            ' until the network lifts it'
          )}
          ; answers are still sent. The usual cause is writing to many strangers.
        </div>
      </Notice>
    ) : null}
    {row.status_text ? (
      <Notice kind={row.status === 'banned' || row.status === 'logged_out' ? 'bad' : ''}>
        <div>{row.status_text}</div>
      </Notice>
    ) : null}
    <div class="columns">
      {row.status === 'connected' ? (
        <Allowed to="instances.send" title="Send a message">
          <FirstMessage row={row} />
        </Allowed>
      ) : (
        <Allowed to="instances.pair" title="Pair with the phone">
          <Pairing row={row} />
        </Allowed>
      )}
      {row.status === 'connected' ? null : <ConnectLinks id={row.id} />}
      <Account row={row} />
      <Allowed to="instances.token" title="Token">
        <Token instance={instance.data} reload={instance.reload} />
      </Allowed>
      <History row={row} />
    </div>
  </>
)
