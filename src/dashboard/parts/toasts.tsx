/** Short messages in the corner about completed actions. */
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { dropToast, toasts } from './toast-list.ts'
import { Name } from './words.tsx'

export const Toasts = () => (
  <div class="toasts" role="status">
    {toasts.value.map(({ id, text }) => (
      <div class="toast" key={id}>
        <Name>{text}</Name>
        <Button look="quiet" label="Dismiss" onPress={() => dropToast(id)}>
          <Icon name="close" size={14} />
        </Button>
      </div>
    ))}
  </div>
)
