import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../texts/t.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { showToast } from './toast-list.ts'

/** Copies a text. A page without HTTPS has no clipboard API, so the text is put into a field and copied from there. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

interface CopyProps {
  text: string
  what: string
  /** Words beside the icon. */
  children?: ComponentChildren
}

export function Copy({ text, what, children }: CopyProps) {
  const run = () =>
    copy(text).then(
      () => showToast(t('Copied: {what}', { what })),
      () => showToast(t('The browser did not allow copying. Show the value and select it.'), 'bad'),
    )
  return (
    <Button look={children === undefined ? 'quiet' : undefined} label={t('Copy the {what}', { what })} onPress={run}>
      <Icon name="copy" size={16} />
      {children}
    </Button>
  )
}

export function Secret({ value, what, isOpen = false }: { value: string; what: string; isOpen?: boolean }) {
  const [isShown, setShown] = useState(isOpen)
  return (
    <div class="secret" data-shown={isShown}>
      <code>{isShown ? value : '•'.repeat(24)}</code>
      {isOpen ? null : (
        <Button look="quiet" label={t('Show the {what}', { what })} pressed={isShown} onPress={() => setShown(!isShown)}>
          <Icon name="show" size={16} />
        </Button>
      )}
      <Copy text={value} what={what} />
    </div>
  )
}
