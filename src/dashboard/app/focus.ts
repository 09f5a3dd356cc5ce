export const CONTENT = 'content'

/** For a control that goes away when it is pressed. The focus would be lost otherwise. */
export const focusContent = () => document.getElementById(CONTENT)?.focus({ preventScroll: true })

/** Moves the focus to the content before `leaving` goes away, unless the user has moved it to another control meanwhile. */
export function focusContentFrom(leaving: Element | null) {
  const focused = document.activeElement
  if (focused === null || focused === document.body || leaving?.contains(focused)) focusContent()
}
