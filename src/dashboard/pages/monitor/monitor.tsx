import { EVENT_TYPES } from '../../../domain/events.ts'
import { setQuery } from '../../app/route.ts'
import { Badge } from '../../parts/badge.tsx'
import { chosenInstance, InstanceChoice, NoInstances } from '../../parts/instance-choice.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Copy } from '../../parts/secret.tsx'
import { Name, phoneText, visible } from '../../parts/words.tsx'
import { t } from '../../texts/t.ts'
import { eventName } from '../webhook-log/event-name.ts'
import { asTest, type SeenEvent } from './as-test.ts'
import { useWatched, type Watched } from './watch.ts'

const STATES: Record<Watched['state'], readonly [text: string, look: 'good' | 'warn' | 'bad']> = {
  waiting: [t('Reconnecting'), 'warn'],
  live: [t('Live'), 'good'],
  refused: [t('The stream was refused; it is tried again.'), 'bad'],
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/**
 * Returns the name of an event in words, and its chat. The name is empty if the type is unknown, and the chat is null
 * if the body names none.
 */
function aboutOf(body: string): { name: string; phone: string | null } {
  try {
    const { type, status, message_type, phone } = JSON.parse(body) as Record<string, unknown>
    const known = EVENT_TYPES.find((each) => each === type)
    const state = String(message_type ?? status ?? '')
    return { name: known ? eventName(known, state === '' ? null : state) : '', phone: typeof phone === 'string' ? phone : null }
  } catch {
    return { name: '', phone: null }
  }
}

function Seen({ event }: { event: SeenEvent }) {
  const { name, phone } = aboutOf(event.body)
  return (
    <li>
      <details class="answer">
        <summary>
          <strong>{name}</strong> <code>{event.type}</code> {phone ? <Name class="soft">{phoneText(phone)}</Name> : null}
        </summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and so takes the focus to be scrolled with the keyboard */}
        <pre class="text" tabIndex={0}>
          {visible(pretty(event.body))}
        </pre>
      </details>
      <Copy text={asTest(event)} what={t('event as a test')} />
    </li>
  )
}

function Events({ instance }: { instance: string }) {
  const { state, events } = useWatched(instance)
  const [text, look] = STATES[state]
  return (
    <section class="card" aria-label={t('Events')}>
      <header>
        <Badge look={look}>{text}</Badge>
      </header>
      {events.length === 0 ? (
        <Empty title={t('Nothing has happened yet')}>
          {t('Send or receive a message: its events appear here at once, also without a webhook.')}
        </Empty>
      ) : (
        <ol class="events" aria-label={t('Events, newest first')}>
          {events.map((event) => (
            <Seen key={event.id} event={event} />
          ))}
        </ol>
      )}
    </section>
  )
}

export function MonitorPage() {
  const instance = chosenInstance()
  return (
    <div class="page">
      <header>
        <h1>{t('Live events')}</h1>
        <p class="lead">
          {t(
            'The events of an instance while this page is open, as a webhook would get them. They hold private messages. Copy one as a test to post it to your receiver.',
          )}
        </p>
      </header>
      <InstanceChoice value={instance} onChange={(next) => setQuery({ instance: next })} />
      {instance === '' ? <NoInstances /> : <Events key={instance} instance={instance} />}
    </div>
  )
}
