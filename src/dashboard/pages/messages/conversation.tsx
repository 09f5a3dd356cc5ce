import type { MessageRow } from '../../../domain/dashboard.ts'
import { to } from '../../app/route.ts'
import { kindText, MessageBadge } from '../../parts/message-state.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Ago } from '../../parts/time.tsx'
import { t } from '../../texts/t.ts'
import { MessageContent } from './content.tsx'
import { Author, Person } from './person.tsx'

interface ConversationProps {
  instance: string
  chat: string
  /** Messages of the conversation, the newest first. */
  rows: readonly MessageRow[]
}

interface BubblesProps {
  instance: string
  rows: readonly MessageRow[]
  isOpen?: boolean
}

/** True if the message is still in the queue. Its content is then in the queue too, where this page cannot read it. */
const isQueued = ({ state }: MessageRow) => state === 'waiting' || state === 'processing'

const Bubble = ({ instance, row, isOpen }: Omit<BubblesProps, 'rows'> & { row: MessageRow }) => (
  <li class={row.from_me ? 'own' : ''}>
    <Author {...row} />
    <span>
      <strong>{kindText(row.kind)}</strong>{' '}
      {row.has_content ? (
        <MessageContent instance={instance} id={row.message_id} isOpen={isOpen} />
      ) : (
        <small>{isQueued(row) ? t('can be shown once it is sent') : t('no longer stored')}</small>
      )}
    </span>
    <small class="row">
      <Ago at={row.at} />
      {row.from_me ? (
        <a href={to(['timeline'], { instance, id: row.message_id })}>
          <MessageBadge state={row.state} />
          <span class="only-read-aloud">: {t('timeline of this message')}</span>
        </a>
      ) : null}
    </small>
  </li>
)

export const Bubbles = ({ rows, ...rest }: BubblesProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and so takes the focus to be scrolled with the keyboard
  <ol class="bubbles chat" tabIndex={0} aria-label={t('Conversation, newest last')}>
    {rows.toReversed().map((row) => (
      <Bubble key={row.message_id} row={row} {...rest} />
    ))}
  </ol>
)

export const Conversation = ({ instance, chat, rows }: ConversationProps) => (
  <section class="card">
    <header>
      <h2>
        <Person name={rows.find(({ chat_name }) => chat_name !== null)?.chat_name ?? null} phone={chat} />
      </h2>
      <a href={to(['messages'], { instance })}>{t('All messages')}</a>
    </header>
    {rows.length === 0 ? (
      <Empty title={t('Nothing is known of this chat')}>{t('Its messages are older than those that the service keeps.')}</Empty>
    ) : (
      <Bubbles instance={instance} rows={rows} />
    )}
  </section>
)
