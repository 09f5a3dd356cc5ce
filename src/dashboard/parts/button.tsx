import type { ComponentChildren } from 'preact'
import type { RightName } from '../../domain/dashboard-rights.ts'
import { whyNot } from '../api/rights.ts'
import { showToast } from './toast-list.ts'

interface ButtonProps {
  children: ComponentChildren
  onPress?: ((event: MouseEvent) => unknown) | undefined
  look?: 'primary' | 'quiet' | 'link' | undefined
  isDangerous?: boolean | undefined
  isBusy?: boolean | undefined
  isDisabled?: boolean | undefined
  label?: string | undefined
  pressed?: boolean | undefined
  expanded?: boolean | undefined
  /** Right that the session needs. If the session lacks it, a press of the button only shows the reason. */
  needs?: RightName | undefined
}

export function Button({
  children,
  onPress,
  look,
  isDangerous,
  isBusy,
  isDisabled,
  label,
  pressed,
  expanded,
  needs,
}: ButtonProps) {
  const reason = whyNot(needs)
  const isOff = Boolean(isDisabled || isBusy)
  const classes = [look, isDangerous && 'danger'].filter(Boolean).join(' ')
  return (
    <button
      type={onPress || reason ? 'button' : 'submit'}
      class={classes}
      aria-busy={isBusy ? 'true' : undefined}
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      // A button with the attribute `disabled` would lose the focus when it is pressed.
      aria-disabled={reason || isOff ? 'true' : undefined}
      title={reason}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else if (reason) showToast(reason, 'bad')
        else onPress?.(event)
      }}
    >
      {children}
    </button>
  )
}
