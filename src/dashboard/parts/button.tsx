import type { ComponentChildren } from 'preact'

interface ButtonProps {
  children: ComponentChildren
  /** Runs on a click; without it, the button submits its form. */
  onPress?: ((event: MouseEvent) => unknown) | undefined
  look?: 'primary' | 'quiet' | 'link' | undefined
  isDangerous?: boolean | undefined
  isBusy?: boolean | undefined
  isDisabled?: boolean | undefined
  label?: string | undefined
  pressed?: boolean | undefined
  expanded?: boolean | undefined
}

export function Button({ children, onPress, look, isDangerous, isBusy, isDisabled, label, pressed, expanded }: ButtonProps) {
  const classes = [look, isDangerous && 'danger'].filter(Boolean).join(' ')
  return (
    <button
      type={onPress ? 'button' : 'submit'}
      class={classes}
      disabled={isDisabled || isBusy}
      aria-busy={isBusy ? 'true' : undefined}
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      onClick={onPress}
    >
      {children}
    </button>
  )
}
