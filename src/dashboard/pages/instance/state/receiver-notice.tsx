/** Says whether the receiver of an instance accepts its events, and since when it does not. */
import { delivered } from '../../../api/live.ts'
import { whyNot } from '../../../api/rights.ts'
import { useLoad, useNews } from '../../../app/load.ts'
import { to } from '../../../app/route.ts'
import { Notice } from '../../../parts/notice.tsx'
import { receiverAnswer } from '../../../parts/receiver-answer.ts'
import { Sentence } from '../../../parts/sentence.tsx'
import { At } from '../../../parts/time.tsx'
import { t } from '../../../texts/t.ts'
import { type Entry, loadLog } from '../../webhook-log/log.ts'

const LOOK_EVERY_MS = 5_000
const PAGE_SIZE = 50
const PENDING = { type: undefined, status: 'pending', from: undefined, to: undefined }

/** Returns the oldest retried event among the oldest and the newest pending events, 50 each; undefined if there is none. */
async function oldestRetried(instance: string, signal: AbortSignal): Promise<Entry | undefined> {
  const load = (page: number) => loadLog({ ...PENDING, instance_id: instance }, page, { pageSize: PAGE_SIZE, signal })
  const newest = await load(1)
  const pages = Math.ceil(newest.total / PAGE_SIZE)
  const oldest = pages > 1 ? await load(pages) : newest
  const isRetried = ({ attempts }: Entry) => attempts > 0
  return oldest.data.findLast(isRetried) ?? newest.data.findLast(isRetried)
}

/**
 * Notice about events that are retried. There is always a notice, because a notice that appears later would move the
 * page, and somebody might press the wrong button.
 */
function Retried({ id }: { id: string }) {
  const { data: event, reload } = useLoad((signal) => oldestRetried(id, signal), [id])
  useNews(LOOK_EVERY_MS, [delivered], reload)
  return (
    <Notice kind={event ? 'warn' : 'quiet'}>
      <div class="receiver">
        {event ? (
          <>
            <strong>{t('Your receiver did not take events; they are retried.')}</strong>{' '}
            <Sentence
              text="Since {time}: {answer}"
              elements={{
                time: <At at={event.created_at} />,
                answer: receiverAnswer({ code: event.last_response_code, error: event.last_error }),
              }}
            />{' '}
            <a href={to(['webhook-log'], { instance: id, status: 'pending' })}>{t('See the events')}</a>
          </>
        ) : (
          <>
            {t('Your receiver: no event is being retried.')}{' '}
            <a href={to(['webhook-log'], { instance: id })}>{t('See the events')}</a>
          </>
        )}
      </div>
    </Notice>
  )
}

export const ReceiverNotice = ({ id }: { id: string }) => (whyNot('log.see') === undefined ? <Retried id={id} /> : null)
