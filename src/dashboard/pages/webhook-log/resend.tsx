import { useRef, useState } from 'preact/hooks'
import { focusContentFrom } from '../../app/focus.ts'
import { useAction } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/notice.tsx'
import { count, t } from '../../texts/t.ts'
import { resendMany } from './log.ts'

export function ChosenEvents({ ids, onDone }: { ids: readonly string[]; onDone(): void }) {
  const [done, setDone] = useState(0)
  const bar = useRef<HTMLDivElement>(null)
  const { run, isBusy, problem } = useAction(async () => {
    setDone(0)
    const { queued, notFound } = await resendMany(ids, setDone)
    onDone()
    focusContentFrom(bar.current)
    const others =
      notFound > 0 ? ` ${t('{n} cannot be resent: the body is no longer stored, or the type has no URL.', { n: notFound })}` : ''
    const events = count(queued, 'event', 'events')
    return t('{events} will be sent again, one at a time per instance.', { events }) + others
  })
  if (ids.length === 0) return null
  return (
    <div class="chosen" ref={bar}>
      <strong>{t('{events} chosen', { events: count(ids.length, 'event', 'events') })}</strong>
      {isBusy ? <progress max={ids.length} value={done} aria-label={t('Resending')} /> : null}
      <Button look="primary" isBusy={isBusy} onPress={() => run()} needs="log.resend">
        {t('Resend')}
      </Button>
      <Problem of={problem} />
    </div>
  )
}
