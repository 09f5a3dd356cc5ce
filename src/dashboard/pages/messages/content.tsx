/** The content of a message is fetched only on a click. */
import { useEffect, useState } from 'preact/hooks'
import type { WebhookBody } from '../../../domain/dashboard.ts'
import { useAction } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/notice.tsx'
import { visible } from '../../parts/words.tsx'
import { t } from '../../texts/t.ts'
import { loadBody } from './messages.ts'

interface Content {
  message_type: string
  [block: string]: unknown
}

/** The text or the caption of a message; otherwise all of its content as JSON. */
function wordsOf({ body }: WebhookBody): string {
  try {
    const content = JSON.parse(body) as Content
    const block = content[content.message_type] as { message?: unknown; caption?: unknown } | null
    const words = block?.message ?? block?.caption
    return typeof words === 'string' && words !== '' ? words : JSON.stringify(block, null, 2)
  } catch {
    return body
  }
}

interface MessageContentProps {
  instance: string
  id: string
  isOpen?: boolean | undefined
}

export function MessageContent({ instance, id, isOpen = false }: MessageContentProps) {
  const [body, setBody] = useState<WebhookBody>()
  const { run, isBusy, problem } = useAction(async () => {
    setBody(await loadBody(instance, id))
    return undefined
  })
  useEffect(() => {
    if (isOpen) run()
  }, [isOpen])
  if (body)
    return (
      <bdi class="words">
        {visible(wordsOf(body))}
        {body.truncated ? '…' : ''}
      </bdi>
    )
  return (
    <>
      <Button
        look="link"
        isBusy={isBusy}
        onPress={() => run()}
        needs="messages.read"
        label={t('Show the content of this message')}
      >
        {t('Show')}
      </Button>
      <Problem of={problem} />
    </>
  )
}
