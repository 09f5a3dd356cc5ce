/** Shows the content of a message, which is fetched on a click or when `isOpen` becomes true. */
import { useEffect, useState } from 'preact/hooks'
import type { WebhookBody } from '../../../domain/dashboard.ts'
import { useAction } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/notice.tsx'
import { bytesText, visible } from '../../parts/words.tsx'
import { t } from '../../texts/t.ts'
import { loadBody } from './messages.ts'

interface Content {
  message_type: string
  [block: string]: unknown
}

interface Block {
  message?: unknown
  caption?: unknown
  file_name?: unknown
  mime_type?: unknown
  file_size?: unknown
}

/** Returns the name, type and size of a file, as far as they are known; undefined if the content is not a file. */
function fileText({ file_name, mime_type, file_size }: Block): string | undefined {
  if (typeof mime_type !== 'string') return undefined
  const size = typeof file_size === 'number' ? bytesText(file_size) : ''
  return [file_name, mime_type, size].filter((fact) => typeof fact === 'string' && fact !== '').join(' · ')
}

/**
 * Returns the text or the caption of a message, or a description of its file. If it has none of these, returns all of
 * its content as JSON.
 */
function wordsOf({ body }: WebhookBody): string {
  try {
    const content = JSON.parse(body) as Content
    const block = content[content.message_type] as Block | null
    const words = block?.message ?? block?.caption
    if (typeof words === 'string' && words !== '') return words
    return (block && fileText(block)) ?? JSON.stringify(block, null, 2)
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
