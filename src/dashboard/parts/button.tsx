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
  /** Right that the session needs. Without it, a press of the button only shows the reason. */
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
  const classes = [look, isDangerous && 'danger'].filter(Boolean).join(' ')
  return (
    <button
      type={onPress || reason ? 'button' : 'submit'}
      class={classes}
      disabled={isDisabled || isBusy}
      aria-busy={isBusy ? 'true' : undefined}
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      aria-disabled={reason ? 'true' : undefined}
      title={reason}
      onClick={reason ? () => showToast(reason, 'bad') : onPress}
    >
      {children}
    </button>
  )
}
