export const CONTENT = 'content'

/** For a control that goes away when it is pressed. The focus would be lost otherwise. */
export const focusContent = () => document.getElementById(CONTENT)?.focus({ preventScroll: true })

/** Call it before `leaving` is removed. Moves the focus to the content, unless a control outside of `leaving` has it. */
export function focusContentFrom(leaving: Element | null) {
  const focused = document.activeElement
  if (focused === null || focused === document.body || leaving?.contains(focused)) focusContent()
}
