import { useEffect, useRef } from 'preact/hooks'
import { t } from '../texts/t.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { dropToast, toasts } from './toast-list.ts'
import { Name } from './words.tsx'

/**
 * True if the messages cover a secret. The notice about a new secret must not cover the buttons with which the user
 * copies it.
 */
function coversSecret(layer: Element): boolean {
  const { left, right, top, bottom } = layer.getBoundingClientRect()
  return [...document.querySelectorAll('.secret button')].some((each) => {
    const box = each.getBoundingClientRect()
    return box.right > left && box.left < right && box.bottom > top && box.top < bottom
  })
}

export function Toasts() {
  const ref = useRef<HTMLDivElement>(null)
  const shown = toasts.value
  // An open dialog would cover the messages. The element that is shown last is above all others, so the messages are
  // hidden and shown again.
  useEffect(() => {
    const layer = ref.current
    if (!layer?.showPopover) return
    if (layer.matches(':popover-open')) layer.hidePopover()
    if (shown.length === 0) return
    layer.showPopover()
    layer.classList.remove('aside')
    layer.classList.toggle('aside', coversSecret(layer))
  }, [shown])
  return (
    <div class="toasts" role="status" popover="manual" ref={ref}>
      {shown.map(({ id, text, kind }) => (
        <div class={`toast ${kind}`} key={id}>
          <Name>{text}</Name>
          <Button look="quiet" label={t('Dismiss: {text}', { text })} onPress={() => dropToast(id)}>
            <Icon name="close" size={14} />
          </Button>
        </div>
      ))}
    </div>
  )
}
