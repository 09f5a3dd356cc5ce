/** Short messages in the corner about completed actions. */
import { signal } from '@preact/signals'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Name } from './words.tsx'

interface Toast {
  id: number
  text: string
}

const SHOWN_MS = 6_000
const MOST = 3
const toasts = signal<readonly Toast[]>([])
let last = 0

const take = (id: number) => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

export function showToast(text: string): void {
  const id = ++last
  toasts.value = [...toasts.value.slice(1 - MOST), { id, text }]
  setTimeout(() => take(id), SHOWN_MS)
}

export const Toasts = () => (
  <div class="toasts" role="status">
    {toasts.value.map(({ id, text }) => (
      <div class="toast" key={id}>
        <Name>{text}</Name>
        <Button look="quiet" label="Dismiss" onPress={() => take(id)}>
          <Icon name="close" size={14} />
        </Button>
      </div>
    ))}
  </div>
)
